/// The texts of rows that were written before, by state.
struct WrittenRows: Sendable {
  /// All texts, one after another.
  private var bytes: [UInt8] = []
  /// By state: where its text begins and ends; an empty range where it was not written.
  private var places: [Range<Int>] = []

  /// More than this is not kept.
  private static let mostBytes = 64 << 20

  subscript(state: UInt32) -> ArraySlice<UInt8>? {
    get {
      guard Int(state) < places.count, case let place = places[Int(state)], !place.isEmpty else {
        return nil
      }
      return bytes[place]
    }
    set {
      guard let newValue, bytes.count < Self.mostBytes else { return }
      if Int(state) >= places.count {
        let missing = max(Int(state) + 1, 2 * places.count) - places.count
        places.append(contentsOf: repeatElement(0..<0, count: missing))
      }
      places[Int(state)] = bytes.count..<bytes.count + newValue.count
      bytes.append(contentsOf: newValue)
    }
  }
}
