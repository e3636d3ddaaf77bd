// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion|invalid conversion|cannot initialize
#include <mana/lower/abi.hpp>
int test(const mana::lower::services& s, mana::real<mana::kind::request>* reals, mana::virt<mana::kind::request>* virts,
         mana::neutral::status* statuses) {
#ifdef MUST_FAIL
  return s.wait_some(2, virts, statuses, 2);
#endif
  (void)virts;
  return s.wait_some(2, reals, statuses, 2);
}
