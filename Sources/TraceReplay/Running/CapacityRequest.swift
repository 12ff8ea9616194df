package import EvictionPolicies
import Text

/// A capacity in the user's notation: `100`, `1%`, `64MiB`.
package enum CapacityRequest: Hashable, Sendable {
  case entities(Int)
  /// A share of the trace's distinct keys, in billionths.
  case share(billionths: Int)
  case bytes(Int)

  package var isInBytes: Bool {
    if case .bytes = self { true } else { false }
  }

  package static func parseList(_ text: String) throws(CapacityError) -> [CapacityRequest] {
    let elements: [String]
    do throws(Quantity.Fault) {
      elements = try Quantity.elements(of: text)
    } catch {
      throw CapacityError(error, of: text)
    }
    var requests: [CapacityRequest] = []
    for element in elements { requests.append(try CapacityRequest(element)) }
    return requests
  }

  /// Parses one capacity in the notation of scenario files: an integer of at least 1, with or without
  /// `entities`; a percentage above 0 up to 100, with at most seven decimals; or an integer number of bytes
  /// in B, kB, MB, GB, TB (powers of 1,000), KiB, MiB, GiB or TiB, such as `1.5 GiB`.
  package init(_ text: some StringProtocol) throws(CapacityError) {
    let written = String(text)
    let quantity: Quantity
    do throws(Quantity.Fault) {
      quantity = try Quantity(written)
    } catch {
      throw CapacityError(error, of: written)
    }
    let make: (Int) -> CapacityRequest
    let factor: Int64
    switch quantity.unit {
    case "", "entities", "entity": (make, factor) = (Self.entities, 1)
    case "%": (make, factor) = (Self.share(billionths:), 10_000_000)
    default:
      guard let bytes = Dimension.size.factor(of: quantity.unit) else {
        throw .unreadable(written)
      }
      (make, factor) = (Self.bytes, bytes)
    }
    guard quantity.mantissa >= 0 else { throw .negative(written) }
    guard let count = quantity.whole(times: factor) else {
      throw quantity.decimals > 0 ? .notWhole(written) : .outOfRange(written)
    }
    guard count > 0 else { throw .outOfRange(written) }
    self = make(Int(count))
    if case .share(1_000_000_001...) = self { throw .outOfRange(written) }
  }

  /// Returns the capacity in entities or bytes for one trace.
  ///
  /// A share is rounded to the nearest integer, halves up, and is at least 1.
  package func capacity(for trace: InternedTrace) throws(CapacityError) -> ReplayCapacity {
    switch self {
    case .entities(let count): return .entities(count)
    case .share(let billionths):
      if let whole = trace.sampledFrom {
        let all = Double(trace.distinct) / whole.sampling.rate
        return .entities(max(1, Int((all * Double(billionths) / 1e9).rounded())))
      }
      // Keys are fewer than 2³¹ and billionths at most 10⁹, so the product does not overflow.
      return .entities(
        max(1, (trace.distinct * billionths + 500_000_000) / 1_000_000_000))
    case .bytes(let bytes):
      guard !trace.weights.isEmpty else { throw .bytesWithoutWeights(bytes) }
      return .bytes(bytes)
    }
  }
}

/// The reason why a capacity is invalid.
package enum CapacityError: Error, Hashable, CustomStringConvertible {
  case unreadable(String)
  case outOfRange(String)
  case negative(String)
  /// A comma that does not group three digits, with a corrected form.
  case comma(String, meant: String)
  /// A fraction of an entity or of a byte.
  case notWhole(String)
  case bytesWithoutWeights(Int)
  case expiryWithoutTimes
  case belowSample(Int, smallest: Int)

  init(_ fault: Quantity.Fault, of text: String) {
    switch fault {
    case .noNumber:
      // A number with more digits than any capacity has.
      let isNumber = text.first.map { $0.isASCII && $0.isNumber } ?? false
      self = isNumber ? .outOfRange(text) : .unreadable(text)
    case .comma(let meant): self = .comma(text, meant: meant)
    }
  }

  package var description: String {
    switch self {
    case .unreadable(let text):
      "'\(text.excerpt)' is not a capacity; write entities (100), a share of keys (1%) or bytes (64MiB, 10MB)"
    case .outOfRange(let text):
      "the capacity '\(text.excerpt)' is out of range; it is at least 1 entity or byte, at most 100%"
    case .negative(let text):
      "the capacity '\(text.excerpt)' is negative; it is at least 1 entity or byte"
    case .comma(let text, let meant):
      """
      the capacity '\(text.excerpt)' has a comma within a number, and commas separate capacities; write \
      `\(meant.excerpt)`
      """
    case .notWhole(let text):
      "the capacity '\(text.excerpt)' is no whole number of entities or bytes, or finer than 0.0000001%; round it"
    case .belowSample(let capacity, let smallest):
      """
      a capacity of \(capacity) is less than one at the sample's scale; ask for at least \(smallest), \
      or take a larger sample
      """
    case .expiryWithoutTimes:
      """
      lifetimes need times, and the trace has none; say how much time passes from request to \
      request with --request-interval, or name the column of times
      """
    case .bytesWithoutWeights(let bytes):
      """
      a capacity of \(bytes) bytes needs sizes, and the trace has none; write entities (100) or a \
      share of keys (1%), or name the column of sizes
      """
    }
  }
}
