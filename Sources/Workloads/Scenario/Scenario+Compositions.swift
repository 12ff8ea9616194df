package import CacheModel

extension Scenario {
  /// The composition that a policy name stands for here: one of the scenario's own, or any preset;
  /// `nil` if there is neither, and of a cache in another process.
  package func composition(for policyName: String) -> CachePolicy? {
    let own = policies.first { $0.name == policyName }
    let entry = own ?? PolicyEntry(preset: policyName)
    guard let preset = entry.preset.flatMap(Preset.named) else { return nil }
    let section = section(of: entry)
    let given = entry.overrides.map(\.field)
    var composition = preset.composition(section.allowance(for: model))
    for axis in PolicyAxis.all {
      // What a policy says of itself holds even where its preset has no use for the shared value.
      guard axis.isShared ? given.contains(axis.name) : !entry.isBound else { continue }
      if let value = section[axis.name] { axis.write(&composition, value) }
    }
    if given.contains(where: { $0 == "time-to-live" || $0.hasPrefix("time-to-live.") }) {
      composition.freshness.timeToLive = section.freshness.timeToLive
      composition.freshness.perMethod = section.freshness.perMethod
    }
    return composition
  }

  /// The other design that a policy name stands for here, with its settings; `nil` if it is none.
  package func design(for policyName: String) -> DesignSettings? {
    let entry = policies.first { $0.name == policyName } ?? PolicyEntry(preset: policyName)
    return entry.design.map { section(of: entry).settings(of: $0) }
  }

  /// The cache section with what a policy says of itself.
  private func section(of entry: PolicyEntry) -> CacheSection {
    var section = cache
    var reader = ScenarioReader(file: name, vocabulary: .unchecked)
    reader.model = model
    let fields = CacheSection.fields(of: model)
    for (field, value) in entry.overrides {
      fields.first { $0.name == field }?.assign(&section, value, &reader)
    }
    return section
  }
}
