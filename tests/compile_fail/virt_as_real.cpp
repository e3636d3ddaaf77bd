// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/core/handle.hpp>
void lower(mana::real<mana::kind::comm>);
void test(mana::virt<mana::kind::comm> v, mana::real<mana::kind::comm> r) {
  lower(r);
#ifdef MUST_FAIL
  lower(v);
#endif
  (void)v;
}
