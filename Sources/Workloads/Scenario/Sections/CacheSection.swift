package import CacheModel

/// The cache under test: what all policies of a comparison share.
///
/// Limits, times to live and the windows after them are handed to every preset. A choice on any other
/// axis that is given here replaces that of every preset but the bounds.
package struct CacheSection: Hashable, Sendable {
  /// What was given of the axes, and of the fields of other designs, by name.
  var values: [String: PolicyValue] = [:]
  /// Times to live of single methods; a method that is absent has the common one.
  package var timeToLivePerMethod: [QueryKind: Duration] = [
    .search: .seconds(60), .albumList: .seconds(300),
  ]

  package init() {}

  /// What was given, or what all presets are given where nothing was; `nil`: what each preset does.
  package subscript(field: String) -> PolicyValue? {
    values[field] ?? PolicyAxis.named(field)?.field.standard
  }

  package var capacity: Capacity { shared.capacity }

  package var maximumQueries: Int? { shared.maximumQueries }

  package var freshness: Freshness { shared.freshness }

  /// A composition of what all presets are given, and of nothing else that counts.
  private var shared: PolicyComposition {
    var shared = PolicyComposition(
      evictionOrder: "", capacity: .unlimited, retention: .none, freshness: .neverExpires,
      maximumQueries: nil)
    for axis in PolicyAxis.all where axis.isShared {
      if let value = self[axis.name] { axis.write(&shared, value) }
    }
    for kind in timeToLivePerMethod.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      shared.freshness.perMethod[kind.method] = timeToLivePerMethod[kind]
    }
    return shared
  }

  /// What a preset is given for an app with some data.
  package func allowance(for model: DataModel) -> Preset.Allowance {
    let directories = model.shapes.indices.filter { model.shapes[$0].isNested }
    let shared = shared
    return Preset.Allowance(
      capacity: shared.capacity, maximumQueries: shared.maximumQueries,
      freshness: shared.freshness, reorderWindow: shared.reorderWindow,
      directoryMethods: directories.map { DataModel.kind(ofShape: $0).method })
  }

  /// A design under what the section says.
  func settings(of design: DesignPreset) -> DesignSettings {
    var settings = DesignSettings(design, capacity: capacity)
    settings.evictionOrder = values["eviction-order"]?.word
    settings.diskBytes = values["disk-bytes"]?.number.map { Int($0) }
    for field in design.fields {
      if let value = values[field.name] { settings.set(field.name, to: value) }
    }
    return settings
  }
}
