#include <runtime/job/run_record.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace mana::job {

namespace {

constexpr char magic[8] = {'M', 'A', 'N', 'A', 'R', 'U', 'N', '2'};
constexpr std::size_t version_at = sizeof magic - 1;

class encoder {
 public:
  void number(std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes_.push_back(static_cast<std::uint8_t>(value >> shift));
  }
  void text(const std::string& value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_{std::begin(magic), std::end(magic)};
};

class decoder {
 public:
  explicit decoder(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    const bool known = bytes.size() >= sizeof magic && std::memcmp(bytes.data(), magic, version_at) == 0 &&
                       bytes[version_at] >= '1' && bytes[version_at] <= '2';
    if (!known)
      throw std::runtime_error("the image's section \"run\" has a form that this version does not know");
    version_ = bytes[version_at] - '0';
    bytes_ = bytes.subspan(sizeof magic);
  }
  int version() const noexcept { return version_; }
  std::uint32_t number() {
    const auto four = take(4);
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(four[i]) << (8 * i);
    return value;
  }
  std::string text() {
    const auto characters = take(number());
    return {characters.begin(), characters.end()};
  }

 private:
  std::span<const std::uint8_t> take(std::size_t n) {
    if (n > bytes_.size()) throw std::runtime_error("the image's section \"run\" ends early");
    const auto taken = bytes_.first(n);
    bytes_ = bytes_.subspan(n);
    return taken;
  }
  std::span<const std::uint8_t> bytes_;
  int version_ = 0;
};

}  // namespace

std::vector<std::uint8_t> encode(const run_record& record) {
  encoder out;
  out.text(record.mpi_name);
  out.text(record.mpi_version);
  out.number(static_cast<std::uint32_t>(record.thread_level));
  out.text(record.program);
  out.text(record.build_id);
  out.number(static_cast<std::uint32_t>(record.arguments.size()));
  for (const std::string& argument : record.arguments) out.text(argument);
  out.text(record.directory);
  out.text(record.cpu);
  return out.take();
}

run_record decode_run_record(std::span<const std::uint8_t> bytes) {
  decoder in(bytes);
  run_record record;
  record.mpi_name = in.text();
  record.mpi_version = in.text();
  record.thread_level = static_cast<std::int32_t>(in.number());
  record.program = in.text();
  record.build_id = in.text();
  for (std::uint32_t n = in.number(); n > 0; --n) record.arguments.push_back(in.text());
  record.directory = in.text();
  if (in.version() >= 2) record.cpu = in.text();
  return record;
}

}  // namespace mana::job
