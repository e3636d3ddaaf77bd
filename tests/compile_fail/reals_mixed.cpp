// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/core/handle.hpp>
void needs_datatype(mana::real<mana::kind::datatype>);
void test(mana::real<mana::kind::comm> c, mana::real<mana::kind::datatype> d) {
  needs_datatype(d);
#ifdef MUST_FAIL
  needs_datatype(c);
#endif
  (void)c;
}
