package import CacheModel

/// A cache of another design than the normalized one, as scenarios name it, with the fields that are its own.
///
/// What it does stands in the library that ships it; `DesignSimulation` puts that behind the simulation.
package struct DesignPreset: Sendable {
  package let name: String
  package let summary: String
  /// In the order in which documents list them.
  package let fields: [PolicyField]

  /// All of them, in the order in which reports list them.
  package static let all: [DesignPreset] = [twoTier, response, streamingRepository]

  package static let names = all.map(\.name)

  package static func named(_ name: String) -> DesignPreset? { all.first { $0.name == name } }
}

/// A design with what a scenario says of it.
package struct DesignSettings: Hashable, Sendable {
  /// The name of its preset.
  package let design: String
  /// A value for each of its fields.
  private var values: [String: PolicyValue]
  /// What it may hold in memory.
  package var capacity: Capacity
  /// The most bytes of its files; `nil`: what the design says.
  package var diskBytes: Int?
  /// `nil`: what the design says.
  package var evictionOrder: String?

  /// A design as its documents have it, within a capacity.
  package init(_ preset: DesignPreset, capacity: Capacity = .unlimited) {
    design = preset.name
    values = Dictionary(
      preset.fields.compactMap { field in field.standard.map { (field.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    self.capacity = capacity
  }

  /// Puts a value in the place of a field's own.
  ///
  /// - Precondition: the design has the field.
  package mutating func set(_ field: String, to value: PolicyValue) {
    precondition(values[field] != nil, "\(design) has no field \(field)")
    values[field] = value
  }

  package subscript(field: String) -> PolicyValue {
    guard let value = values[field] else {
      preconditionFailure("\(design) has no field \(field)")
    }
    return value
  }

  /// A duration; `nil`: unlimited.
  package func duration(_ field: String) -> Duration? {
    switch self[field] {
    case .duration(let duration): duration
    case .unlimited: nil
    default: preconditionFailure("\(field) of \(design) is no duration")
    }
  }

  /// A count, or bytes; `nil`: unlimited.
  package func count(_ field: String) -> Int? {
    switch self[field] {
    case .number(let number): Int(number)
    case .unlimited: nil
    default: preconditionFailure("\(field) of \(design) is no number")
    }
  }

  package func isSet(_ field: String) -> Bool { word(field) == "yes" }

  package func word(_ field: String) -> String {
    guard let word = self[field].word else {
      preconditionFailure("\(field) of \(design) is no choice")
    }
    return word
  }
}
