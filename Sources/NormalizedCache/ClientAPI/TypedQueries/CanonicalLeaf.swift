/// What is a value of its own in a canonical input, and has no parts.
protocol CanonicalLeaf: Codable {
  /// `nil` where the value says something else.
  init?(_ value: CanonicalValue)
  /// `nil` where there is no such value: a number that is not finite.
  var canonical: CanonicalValue? { get }
}

extension Bool: CanonicalLeaf {
  init?(_ value: CanonicalValue) {
    guard case .bool(let value) = value else { return nil }
    self = value
  }

  var canonical: CanonicalValue? { .bool(self) }
}

extension String: CanonicalLeaf {
  init?(_ value: CanonicalValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }

  var canonical: CanonicalValue? { .text(self) }
}

extension CanonicalLeaf where Self: FixedWidthInteger {
  init?(_ value: CanonicalValue) {
    guard case .number(let text) = value else { return nil }
    self.init(text)
  }

  var canonical: CanonicalValue? { .number(String(self)) }
}

extension Int: CanonicalLeaf {}
extension Int8: CanonicalLeaf {}
extension Int16: CanonicalLeaf {}
extension Int32: CanonicalLeaf {}
extension Int64: CanonicalLeaf {}
extension UInt: CanonicalLeaf {}
extension UInt8: CanonicalLeaf {}
extension UInt16: CanonicalLeaf {}
extension UInt32: CanonicalLeaf {}
extension UInt64: CanonicalLeaf {}

extension CanonicalLeaf where Self: BinaryFloatingPoint & LosslessStringConvertible {
  init?(_ value: CanonicalValue) {
    guard case .number(let text) = value else { return nil }
    self.init(text)
  }

  /// The shortest text that reads as the same number; zero has no sign, since both zeros are equal.
  var canonical: CanonicalValue? {
    isFinite ? .number(self == 0 ? "0.0" : description) : nil
  }
}

extension Double: CanonicalLeaf {}
extension Float: CanonicalLeaf {}
