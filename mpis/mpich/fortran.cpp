// MPICH's Fortran library goes unchanged into the upper half. Its C library's functions that it uses besides MPI's are
// here.
#include <mana/calls.hpp>

#include <cstring>

namespace mana {
namespace {

/// MPICH's forms of an attribute. With bit 0 it is a number.
constexpr int number_form = 1;

auto store_as(int form, void* out) noexcept {
  return [=](void* pointer, std::int64_t bits) {
    if ((form & number_form) != 0) std::memcpy(out, &bits, sizeof bits);
    else std::memcpy(out, &pointer, sizeof pointer);
  };
}

/// Fortran's numbers of MPI's own attributes are the even numbers after C's.
constexpr int number_in_c(int key) noexcept {
  return key > MPI_TAG_UB && key <= MPI_APPNUM + 1 && key % 2 == 0 ? key - 1 : key;
}
static_assert(MPI_TAG_UB % 2 == 1 && MPI_APPNUM % 2 == 1 && MPI_TAG_UB < MPI_APPNUM);

/// The same of windows.
constexpr int window_number_in_c(int key) noexcept {
  return key > MPI_WIN_BASE && key <= MPI_WIN_MODEL + 1 && key % 2 == 0 ? key - 1 : key;
}
static_assert(MPI_WIN_BASE % 2 == 1 && MPI_WIN_MODEL % 2 == 1 && MPI_WIN_BASE < MPI_WIN_MODEL);

/// in: set  called with a pointer or a number
template <class Set>
int set_as(int form, void* value, Set&& set) noexcept {
  return (form & number_form) != 0 ? set(reinterpret_cast<std::int64_t>(value)) : set(value);
}

}  // namespace
}  // namespace mana

#pragma GCC visibility push(default)
extern "C" {

int MPII_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag, int form) {
  return mana::object::get_comm_attribute<mana::fn::comm_get_attr>(comm, mana::number_in_c(key), flag,
                                                                 mana::store_as(form, value));
}
int MPII_Comm_set_attr(MPI_Comm comm, int key, void* value, int form) {
  return mana::set_as(form, value, [=](auto given) {
    return mana::object::set_comm_attribute<mana::fn::comm_set_attr>(comm, key, given); });
}
int MPII_Type_get_attr(MPI_Datatype type, int key, void* value, int* flag, int form) {
  return mana::object::get_type_attribute(type, key, flag, mana::store_as(form, value));
}
int MPII_Type_set_attr(MPI_Datatype type, int key, void* value, int form) {
  return mana::set_as(form, value, [=](auto given) { return mana::object::set_type_attribute(type, key, given); });
}
int MPII_Win_get_attr(MPI_Win window, int key, void* value, int* flag, int form) {
  return mana::object::get_win_attribute(window, mana::window_number_in_c(key), flag, mana::store_as(form, value));
}
int MPII_Win_set_attr(MPI_Win window, int key, void* value, int form) {
  return mana::set_as(form, value, [=](auto given) { return mana::object::set_win_attribute(window, key, given); });
}

/// Fortran's logicals as numbers, which newer Fortran libraries take from the C library.
int MPIR_fortran_true = 1, MPIR_fortran_false = 0;

void MPII_Keyval_set_proxy(int number, mana::object::copy_proxy copy, mana::object::remove_proxy remove) {
  for (const auto object : {mana::kind_code::comm, mana::kind_code::datatype, mana::kind_code::win})
    if (mana::object::attribute_key* const key = mana::object::attribute_keys().find(number, object)) {
      key->by_copy_proxy = copy;
      key->by_remove_proxy = remove;
    }
}
void MPII_Grequest_set_lang_f77(MPI_Request request) { mana::object::call_request_in_fortran(request); }

}
#pragma GCC visibility pop
