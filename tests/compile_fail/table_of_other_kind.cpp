// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/vid/id_table.hpp>
namespace mana { template <> struct descriptor<kind::comm> {}; }
void test(mana::vid::id_table<mana::kind::comm>& t, mana::virt<mana::kind::comm> c, mana::virt<mana::kind::group> g) {
  t.find(c);
#ifdef MUST_FAIL
  t.find(g);
#endif
  (void)g;
}
