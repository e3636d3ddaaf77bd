"""The command line of a model of rma: it explores programs under the algorithm as it is, and under each mutant, and prints a
line for each. Exit status 1 if the algorithm breaks, or if no program finds a mutant out.
"""
import argparse
import time


def main(text, as_it_is, mutants, check_mutant):
    """text: of the model.  as_it_is: {name: check}.  mutants: names.  check_mutant: what the name of a mutant is checked with.

    A check is called with whether the long families are wanted, check_mutant with the name before it; it returns what is wrong
    or None, programs, states.
    """
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="more programs: minutes")
    parser.add_argument("--mutant", choices=sorted(mutants), help="only this one")
    options = parser.parse_args()
    failed, began = False, time.process_time()

    def tell(name, found, otherwise):
        wrong, programs, states = found
        print(f"{name:26} {programs:5} programs {states:8} states  {wrong or otherwise}", flush=True)
        return wrong is not None

    if not options.mutant:
        for name, check in as_it_is.items():
            failed |= tell(name, check(options.long), "clean")
    for mutant in [options.mutant] if options.mutant else mutants:
        failed |= not tell(mutant, check_mutant(mutant, options.long), "ALIVE")
    print(f"{time.process_time() - began:.1f} s")
    return 1 if failed else 0
