package import CacheModel
import Text

/// The cache under test: the settings shared by all policies of a comparison.
///
/// Limits, times to live and their windows are given to every preset. A choice on any other axis replaces
/// that of every preset except the bounds.
package struct CacheSection: Hashable, Sendable {
  /// The given values of axes and of other designs' fields, by name.
  var values: [String: PolicyValue] = [:]
  /// Times to live of single methods; others have the common one.
  package var timeToLivePerMethod: [QueryKind: Duration] = [:]

  package init() {}

  /// The given value, or the default for all presets; `nil`: each preset's own.
  package subscript(field: String) -> PolicyValue? {
    values[field] ?? PolicyAxis.named(field)?.field.standard
  }

  package var capacity: Capacity { shared.capacity }

  package var maximumQueries: Int? { shared.maximumQueries }

  package var freshness: Freshness { shared.freshness }

  /// A policy with the shared values; its other choices are irrelevant.
  private var shared: CachePolicy {
    var shared = CachePolicy(
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

  /// Returns the allowance of presets for an app's data.
  package func allowance(for model: DataModel) -> Preset.Allowance {
    let directories = model.shapes.indices.filter { model.shapes[$0].isNested }
    let shared = shared
    return Preset.Allowance(
      capacity: shared.capacity, maximumQueries: shared.maximumQueries,
      freshness: shared.freshness, reorderWindow: shared.reorderWindow,
      directoryMethods: directories.map { DataModel.kind(ofShape: $0).method })
  }

  /// Returns a design's settings by this section.
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

extension CacheSection: ScenarioSection {
  static let fields: [Field<CacheSection>] = fields(of: nil)

  static func fields(of model: DataModel?) -> [Field<CacheSection>] {
    ofPolicies.map { Field(of: $0) } + timesToLive(of: model)
  }

  /// The axes, then the fields of other designs, without duplicates, in the order of the designs.
  static let ofPolicies: [PolicyField] = PolicyAxis.all.map(\.field) + ofDesigns

  private static let ofDesigns: [PolicyField] =
    DesignPreset.all.flatMap(\.fields).reduce(into: []) { fields, field in
      if !fields.contains(where: { $0.name == field.name }) { fields.append(field) }
    }

  /// The shared fields that other designs use too.
  private static let sharedWithDesigns = [
    "capacity-entities", "capacity-bytes", "capacity-memory", "eviction-order", "disk-bytes",
  ]

  /// Returns the fields that an entry of `policies` may set for a preset; any for an unknown one.
  static func fields(of preset: String?, _ model: DataModel?) -> [Field<CacheSection>] {
    let all = fields(of: model)
    guard let preset, PolicyEntry.presets.contains(preset) else { return all }
    guard let design = DesignPreset.named(preset) else {
      let others = ofDesigns.map(\.name)
      return all.filter { !others.contains($0.name) }
    }
    let own = design.fields.map(\.name) + sharedWithDesigns
    return all.filter { own.contains($0.name) }
  }

  private static func timesToLive(of model: DataModel?) -> [Field<CacheSection>] {
    (model?.shapes ?? []).enumerated().map { place, shape in
      .whole(
        "time-to-live.\(shape.name)", .duration, 0...Duration.days(365).wholeNanoseconds,
        "how long a result of this query is fresh"
      ) { $0.timeToLivePerMethod[DataModel.kind(ofShape: place)] = .nanoseconds($1) }
    }
  }

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    if values["storage"]?.word == "no",
      values["disk-bytes"] != nil || values["flush-window"] != nil
    {
      reader.report(
        place, "there is no storage to limit", "remove `disk-bytes` and `flush-window`")
    }
    if capacity.lowWatermark > capacity.highWatermark {
      reader.report(
        place, "the low watermark is above the high one",
        "lower `low-watermark` or raise `high-watermark`")
    }
  }
}

extension Field<CacheSection> {
  init(of field: PolicyField) {
    let unlimited = "unlimited"
    self.init(
      name: field.name, form: field.form,
      summary: field.summary + (field.mayBeUnlimited ? ", or `\(unlimited)`" : ""),
      initial: { _ in
        (PolicyAxis.named(field.name)?.usual ?? field.standard)?.inWords(field.form)
      }
    ) {
      if field.mayBeUnlimited, case .scalar(unlimited) = $1.content {
        $0.values[field.name] = .unlimited
      } else if let value = $2.value($1, of: field) {
        $0.values[field.name] = value
      }
    }
  }
}

extension ScenarioReader {
  /// Returns the value of a policy's field; reports anything else and returns `nil`.
  fileprivate mutating func value(_ node: SourceNode, of field: PolicyField) -> PolicyValue? {
    // In `membership.index`, the wrong name is that of `membership`.
    let what = String(field.name.prefix { $0 != "." })
    switch field.form {
    case .quantity(.share, let range): return real(node, .share, in: range).map { .share($0) }
    case .quantity(let dimension, let range):
      return whole(node, dimension, in: Int64(range.lowerBound)...Int64(range.upperBound))
        .map { dimension == .duration ? .duration(.nanoseconds($0)) : .number($0) }
    case .choice(let words): return name(node, what: what, among: words).map { .word($0) }
    case .registered(let names): return registered(node, names, what: what)
    case .list: return methods(node)
    default: return scalar(node).map { .word($0) }
    }
  }

  /// Returns a name of another module; any if there is no list of names.
  private mutating func registered(
    _ node: SourceNode, _ names: Vocabulary.Names, what: String
  ) -> PolicyValue? {
    let what = what.split(separator: "-").joined(separator: " ")
    if names == .evictionOrders, case .scalar(let order) = node.content,
      vocabulary.clairvoyantOrders.contains(order)
    {
      report(
        node.place, "the \(what) `\(order)` looks ahead, which no cache can",
        "run the preset `clairvoyant` together with the others")
      return nil
    }
    return (vocabulary[names].map { name(node, what: what, among: $0) } ?? scalar(node))
      .map { .word($0) }
  }

  private mutating func methods(_ node: SourceNode) -> PolicyValue? {
    let names = (model?.shapes ?? []).map(\.name)
    guard case .sequence(let nodes) = node.content, nodes.count <= names.count else {
      report(
        node.place, "a list of queries is expected here", "write `[\(names.first ?? "query")]`")
      return nil
    }
    var methods: [QueryMethod] = []
    for node in nodes {
      guard let name = name(node, what: "query", among: names),
        let place = names.firstIndex(of: name)
      else { return nil }
      methods.append(DataModel.kind(ofShape: place).method)
    }
    return .methods(methods)
  }
}
