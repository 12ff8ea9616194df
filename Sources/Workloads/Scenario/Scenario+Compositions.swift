package import CacheModel

extension Scenario {
  /// The composition that a policy name stands for here: one of the scenario's own, or any preset;
  /// `nil` if there is neither, and of a cache in another process.
  package func composition(for policyName: String) -> PolicyComposition? {
    let own = policies.first { $0.name == policyName }
    let entry = own ?? PolicyEntry(preset: policyName)
    guard let preset = entry.preset.flatMap(Preset.named) else { return nil }
    let section = section(of: entry)
    var composition = preset.composition(section.allowance(for: app?.model ?? .fileLibrary))
    if !entry.isBound { section.replaceChoices(of: &composition) }
    // What a policy says of itself holds even where its preset has no use for the shared value.
    for (field, _) in entry.overrides { section.replaceLimit(field, of: &composition) }
    if entry.overrides.contains(where: { $0.field.hasPrefix("time-to-live") }) {
      composition.freshness.timeToLive = section.freshness.timeToLive
      composition.freshness.perMethod = section.freshness.perMethod
    }
    if entry.overrides.contains(where: { $0.field == "stale-while-revalidate" }) {
      composition.freshness.staleWhileRevalidate = section.staleWhileRevalidate
    }
    if entry.overrides.contains(where: { $0.field == "stale-if-error" }) {
      composition.freshness.staleIfError = section.staleIfError
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
    let fields = CacheSection.fields(of: app?.model)
    for (field, value) in entry.overrides {
      fields.first { $0.name == field }?.assign(&section, value, &reader)
    }
    return section
  }
}

extension CacheSection {
  /// Puts a limit that a policy gives itself in the place of the preset's own.
  fileprivate func replaceLimit(_ field: String, of composition: inout PolicyComposition) {
    switch field {
    case "capacity-entities": composition.capacity.entities = capacityEntities
    case "capacity-bytes": composition.capacity.bytes = capacityBytes
    case "capacity-memory": composition.capacity.memory = capacityMemory
    case "high-watermark": composition.capacity.highWatermark = highWatermark
    case "low-watermark": composition.capacity.lowWatermark = lowWatermark
    case "maximum-queries": composition.maximumQueries = maximumQueries
    default: break
    }
  }

  /// Puts the choices that were given in the place of the preset's own.
  fileprivate func replaceChoices(of composition: inout PolicyComposition) {
    composition.evictionOrder = evictionOrder ?? composition.evictionOrder
    composition.admission = admission ?? composition.admission
    composition.limit = limit ?? composition.limit
    composition.retention = retention ?? composition.retention
    composition.freshness.dropsExpired = dropsExpired ?? composition.freshness.dropsExpired
    composition.eventAdmission = eventAdmission ?? composition.eventAdmission
    composition.membership = membership ?? composition.membership
    for origin in EventOrigin.allCases {
      guard let choices = batches[origin] else { continue }
      composition.batchRules[origin] = choices.replace(in: composition.batchRules[origin])
    }
    composition.gapResponse = gapResponse ?? composition.gapResponse
    composition.coalescingWindow = coalescingWindow ?? composition.coalescingWindow
    composition.freshness.start = timeToLiveFrom ?? composition.freshness.start
    if let pollInterval { composition.pollInterval = pollInterval.value }
    if let storage {
      composition.storage = storage ? composition.storage ?? DiskStorage() : nil
    }
    if let diskBytes { composition.storage?.maximumBytes = diskBytes.value }
    if let flushWindow { composition.storage?.window = flushWindow }
    if let events { composition.takesEvents = events == .push }
    replaceBuffer(of: &composition)
  }

  private func replaceBuffer(of composition: inout PolicyComposition) {
    defer {
      if let releaseBufferReads { composition.releaseBuffer?.reads = releaseBufferReads }
    }
    guard releaseBufferQueries != nil || releaseBufferAge != nil else { return }
    // Half a buffer that is not mentioned stays as the preset has it.
    var buffer = composition.releaseBuffer ?? ReleaseBuffer(queries: nil, age: nil)
    if let releaseBufferQueries { buffer.queries = releaseBufferQueries.value }
    if let releaseBufferAge { buffer.age = releaseBufferAge.value }
    composition.releaseBuffer = buffer
  }
}
