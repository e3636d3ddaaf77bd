#include "read_document.hpp"

#include <string>

namespace mana::documents {
namespace {

using nlohmann::json;

/// The library's reader of CBOR calls itself for each level, and ends as soon as this says so.
class level_counter : public json::json_sax_t {
 public:
  bool is_too_deep() const noexcept { return too_deep_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  bool enter() noexcept {
    too_deep_ = ++level_ > deepest;
    return !too_deep_;
  }
  bool leave() noexcept {
    --level_;
    return true;
  }

  int level_ = 0;
  bool too_deep_ = false;
};

}  // namespace

json read_document(std::span<const std::uint8_t> bytes) {
  level_counter levels;
  json::sax_parse(bytes.begin(), bytes.end(), &levels, json::input_format_t::cbor);
  if (levels.is_too_deep()) throw document_error("it nests too deep");
  try {
    return json::from_cbor(bytes.begin(), bytes.end());
  } catch (const json::exception& error) {
    throw document_error(error.what());
  }
}

}  // namespace mana::documents
