import FoundationEssentials

/// The newest mutations that were carried out, by their tokens.
struct TokenMemory: Sendable {
  private let capacity: Int
  private var sequences: [UUID: UInt64] = [:]
  /// A ring, in the order of the sequences.
  private var order: [UUID] = []
  private var oldest = 0

  init(capacity: Int) {
    precondition(capacity > 0, "a mutation that is forgotten at once is carried out twice")
    self.capacity = capacity
  }

  subscript(token: UUID) -> UInt64? { sequences[token] }

  /// Forgets the oldest where there is no room.
  mutating func remember(_ token: UUID, sequence: UInt64) {
    sequences[token] = sequence
    guard order.count == capacity else {
      order.append(token)
      return
    }
    sequences[order[oldest]] = nil
    order[oldest] = token
    oldest = (oldest + 1) % capacity
  }
}
