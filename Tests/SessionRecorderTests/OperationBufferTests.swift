import CacheModel
import NormalizedCache
import Testing

@testable import SessionRecorder

@Suite("Operations queued for the writer", .timeLimit(.minutes(30)))
struct OperationBufferTests {
  private static func key(_ number: Int) -> EntityKey {
    EntityKey(type: ResourceType(rawValue: 1), id: UniqueID(high: 0, low: UInt64(number)))
  }

  private static let query = QueryKey(
    library: LibraryID(rawValue: UniqueID(high: 1, low: 1)), method: QueryMethod(rawValue: 1),
    input: [])

  private static func place(_ number: Int) -> RecordedPosition {
    RecordedPosition(
      query: query, key: key(number), version: .none, match: .member, after: nil, before: nil)
  }

  /// The subject of an operation, as far as it matters here.
  private static func name(_ kind: RecordedOperations.Kind) -> String {
    switch kind {
    case .told(.event(let event)):
      guard case .changed(let row) = event.kind else { return "event" }
      return "change of \(row.key.id.low) at \(event.place?.position.sequence ?? 0)"
    case .told(.placed(let places)): return "places of \(places.map(\.key.id.low))"
    case .told(.released(let share)): return "release to \(share)"
    case .told: return "other"
    case .lost(let count): return "\(count) lost"
    }
  }

  private static func row(_ number: Int) -> RecordedRow {
    RecordedRow(key: key(number), version: .none, bytes: 1)
  }

  private static func position(_ sequence: UInt64) -> EventPlace {
    EventPlace(
      stream: StreamID(library: query.library),
      position: StreamPosition(epoch: 1, sequence: sequence))
  }

  @Test("All kinds come out in the order in which they went in, each with its own time")
  func order() {
    var buffer = OperationBuffer(capacity: 100)
    let now = Instant(nanoseconds: 5)
    _ = buffer.append(Self.row(1), at: Self.position(7), now)
    _ = buffer.append([Self.place(1), Self.place(2)])
    _ = buffer.append(.released(toFraction: 0.5), at: now)
    _ = buffer.append(Self.row(2), at: nil, Instant(nanoseconds: 4))
    _ = buffer.append([Self.place(3)])
    _ = buffer.append(.other, at: Instant(nanoseconds: 50))
    for _ in 0..<2 {
      var operations = RecordedOperations()
      buffer.exchange(&operations)
      var told: [String] = []
      var times: [Int64] = []
      operations.forEach { at, kind in
        told.append(Self.name(kind))
        times.append(at.nanoseconds)
      }
      #expect(
        told == [
          "change of 1 at 7", "places of [1, 2]", "release to 0.5", "change of 2 at 0",
          "places of [3]", "other",
        ])
      #expect(times == [5, 6, 7, 8, 9, 50])
      // Taken operations may be given back, unchanged.
      buffer.exchange(&operations)
      #expect(operations.isEmpty)
    }
  }

  @Test("The writer is called once, and immediately if a quarter of the space is taken")
  func calls() {
    var buffer = OperationBuffer(capacity: 16)
    var operations = RecordedOperations()
    for _ in 0..<2 {
      let calls = (0..<6).map { buffer.append(Self.row($0), at: nil, .zero) }
      #expect(calls == [.soon, .none, .none, .now, .none, .none])
      buffer.exchange(&operations)
      #expect(operations.count == 6)
      operations.removeAll()
      #expect(operations.isEmpty)
    }
  }

  @Test("Operations without space are counted, in their place and in all")
  func lost() {
    var buffer = OperationBuffer(capacity: 4)
    for number in 0..<7 { _ = buffer.append(Self.row(number), at: nil, .zero) }
    #expect(buffer.lostInAll == 3)
    var operations = RecordedOperations()
    buffer.exchange(&operations)
    _ = buffer.append([Self.place(9)])
    buffer.exchange(&operations)
    var told: [String] = []
    operations.forEach { _, kind in told.append(Self.name(kind)) }
    #expect(told == ["3 lost", "places of [9]"])
  }
}
