/// A cache of another design than the normalized one, as scenarios name it, with the fields that are its own.
///
/// What it does stands in the library that ships it; `DesignSimulation` puts that behind the simulation.
package struct DesignPreset: Sendable {
  package let name: String
  package let summary: String
  /// In the order in which documents list them.
  package let fields: [DesignField]

  package init(name: String, summary: String, fields: [DesignField]) {
    self.name = name
    self.summary = summary
    self.fields = fields
  }

  /// All of them, in the order in which reports list them.
  package static let all: [DesignPreset] = [twoTier, response, streamingRepository]

  package static let names = all.map(\.name)

  package static func named(_ name: String) -> DesignPreset? { all.first { $0.name == name } }
}

/// A field of a design: what a scenario may write there, and what holds where it writes nothing.
package struct DesignField: Sendable {
  package let name: String
  package let kind: Kind
  package let standard: DesignValue
  /// Whether the word `unlimited` is a value.
  package let mayBeUnlimited: Bool
  package let summary: String

  package enum Kind: Hashable, Sendable {
    /// In nanoseconds.
    case duration(ClosedRange<Int64>)
    /// In bytes.
    case size(ClosedRange<Int64>)
    /// Of things by their plural.
    case count(String, ClosedRange<Int64>)
    case flag
    case choice([String])
  }

  package init(
    _ name: String, _ kind: Kind, standard: DesignValue, mayBeUnlimited: Bool = false,
    _ summary: String
  ) {
    self.name = name
    self.kind = kind
    self.standard = standard
    self.mayBeUnlimited = mayBeUnlimited
    self.summary = summary
  }
}

package enum DesignValue: Hashable, Sendable {
  /// Nanoseconds, bytes, a count, or 1 and 0 for yes and no.
  case number(Int64)
  case unlimited
  /// One of the words of a choice.
  case word(String)
}

/// A design with what a scenario says of it.
package struct DesignSettings: Hashable, Sendable {
  /// The name of its preset.
  package let design: String
  /// A value for each of its fields.
  private var values: [String: DesignValue]
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
      preset.fields.map { ($0.name, $0.standard) }, uniquingKeysWith: { first, _ in first })
    self.capacity = capacity
  }

  /// Puts a value in the place of a field's own.
  ///
  /// - Precondition: the design has the field.
  package mutating func set(_ field: String, to value: DesignValue) {
    precondition(values[field] != nil, "\(design) has no field \(field)")
    values[field] = value
  }

  package subscript(field: String) -> DesignValue {
    guard let value = values[field] else {
      preconditionFailure("\(design) has no field \(field)")
    }
    return value
  }

  /// A duration; `nil`: unlimited.
  package func duration(_ field: String) -> Duration? {
    number(field).map { .nanoseconds($0) }
  }

  /// A count, or bytes; `nil`: unlimited.
  package func count(_ field: String) -> Int? { number(field).map { Int($0) } }

  package func isSet(_ field: String) -> Bool { number(field) == 1 }

  package func word(_ field: String) -> String {
    guard case .word(let word) = self[field] else {
      preconditionFailure("\(field) of \(design) is no choice")
    }
    return word
  }

  private func number(_ field: String) -> Int64? {
    switch self[field] {
    case .number(let number): number
    case .unlimited: nil
    case .word: preconditionFailure("\(field) of \(design) is a choice")
    }
  }
}
