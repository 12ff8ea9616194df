/// The questions whose answers are counts: the same on every machine, since nothing in them is timed.
enum DesignCounts {
  static func sections(in plan: DesignPlan) async throws -> [CountSection] {
    [
      try await LayoutCounts(plan: plan).section(),
      try await SweepCounts(plan: plan).section(),
      try await TagCounts(plan: plan).section(),
      try await CollectionCounts(plan: plan).section(),
      try await AgeCounts(plan: plan).section(),
    ]
  }
}
