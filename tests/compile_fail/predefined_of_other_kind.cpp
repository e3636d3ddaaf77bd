// expect-error: conversion from|cannot convert|no viable|could not convert|no known conversion
#include <mana/lower/abi.hpp>
void test() {
  [[maybe_unused]] mana::real<mana::kind::datatype> type = mana::lower::predefined(mana::neutral::byte);
#ifdef MUST_FAIL
  type = mana::lower::predefined(mana::neutral::comm_world);
#endif
}
