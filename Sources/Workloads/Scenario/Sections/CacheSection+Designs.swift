import CacheModel
import Text

/// Fields that other cache designs have of their own, beside the limits that all share.
extension CacheSection {
  /// Each once, in the order of the designs.
  static let ofDesigns: [Field<CacheSection>] =
    DesignPreset.all.flatMap(\.fields).reduce(into: [DesignField]()) { fields, field in
      if !fields.contains(where: { $0.name == field.name }) { fields.append(field) }
    }.map { field(for: $0) }

  /// What designs take of what all policies share.
  private static let sharedWithDesigns = [
    "capacity-entities", "capacity-bytes", "capacity-memory", "eviction-order", "disk-bytes",
  ]

  /// What an entry of `policies` may say of a preset; of one that there is not, anything.
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

  /// A design under what the section says.
  func settings(of design: DesignPreset) -> DesignSettings {
    var settings = DesignSettings(design, capacity: capacity)
    settings.evictionOrder = evictionOrder
    settings.diskBytes = diskBytes?.value
    for field in design.fields {
      if let value = self.design[field.name] { settings.set(field.name, to: value) }
    }
    return settings
  }

  private static func field(for field: DesignField) -> Field<CacheSection> {
    let name = field.name
    func whole(_ dimension: Dimension, _ range: ClosedRange<Int64>) -> Field<CacheSection> {
      let summary = field.summary + (field.mayBeUnlimited ? ", or `\(unlimitedWord)`" : "")
      let quantity = Field<CacheSection>.whole(name, dimension, range, summary) {
        $0.design[name] = .number($1)
      }
      return field.mayBeUnlimited ? unlimited(quantity) { $0.design[name] = .unlimited } : quantity
    }
    func choice(
      _ words: [String], _ value: @escaping @Sendable (String) -> DesignValue
    ) -> Field<CacheSection> {
      Field(name: name, form: .choice(words), summary: field.summary) {
        if let word = $2.name($1, what: name, among: words) { $0.design[name] = value(word) }
      }
    }
    return switch field.kind {
    case .duration(let range): whole(.duration, range)
    case .size(let range): whole(.size, range)
    case .count(let plural, let range): whole(.count(plural), range)
    case .flag: choice(["yes", "no"]) { .number($0 == "yes" ? 1 : 0) }
    case .choice(let words): choice(words) { .word($0) }
    }
  }
}
