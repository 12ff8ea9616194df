// What reads scenarios depends on this target, so that a build without its trait ends here, before it
// misses Yams.
#if !Simulation && !Harness && !HarnessWithoutJemalloc
  #error("a trait is off: swift build --traits Harness here, traits: [\"Simulation\"] in a package")
#endif
