#include "read_document.hpp"

#include <string>

namespace mana::documents {
namespace {

using nlohmann::json;

/// Looks at what the library would not mind: its reader of CBOR calls itself for each level, and members that are read as
/// integers are converted from whatever number there is, which is undefined for most floating ones. It ends as soon as this says so.
class judge : public json::json_sax_t {
 public:
  /// nullptr: there is none.
  const char* objection() const noexcept { return objection_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return object("it has a number that is no integer"); }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  bool object(const char* why) noexcept {
    objection_ = why;
    return false;
  }
  bool enter() noexcept { return ++level_ <= deepest || object("it nests too deep"); }
  bool leave() noexcept {
    --level_;
    return true;
  }

  int level_ = 0;
  const char* objection_ = nullptr;
};

}  // namespace

json read_document(std::span<const std::uint8_t> bytes) {
  judge first;
  json::sax_parse(bytes.begin(), bytes.end(), &first, json::input_format_t::cbor);
  if (first.objection() != nullptr) throw document_error(first.objection());
  try {
    return json::from_cbor(bytes.begin(), bytes.end());
  } catch (const json::exception& error) {
    throw document_error(error.what());
  }
}

}  // namespace mana::documents
