import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// A server that tells a subscription of some events only, each with the sequence of the one before.
private struct FilteredServer {
  var server = NoteServer()
  /// The subscription's events, in order.
  var told: [EventEnvelope<Note>] = []

  /// The subscription's last sequence.
  var last: UInt64 { told.last?.place?.position.sequence ?? 0 }

  var place: EventPlace {
    EventPlace(
      stream: server.stream, position: StreamPosition(epoch: server.epoch, sequence: last))
  }

  /// Writes something outside the subscription.
  mutating func writeElsewhere() {
    server.write((900, Note(folder: 9, title: "not told")))
  }

  mutating func write(_ number: Int, _ note: Note) -> EventEnvelope<Note> {
    let previous = last
    var envelope = server.write((number, note))
    envelope.place?.previous = previous
    told.append(envelope)
    return envelope
  }

  func missed(after position: StreamPosition) -> ReconcileResponse<Note> {
    .events(
      told.filter { ($0.place?.position.sequence ?? 0) > position.sequence },
      through: server.place.position)
  }
}

@Suite("Filtered subscriptions: skipped numbers are not gaps")
struct FilteredStreamTests {
  let folder = NoteQuery.folder(0)

  @Test("B40 The first event of a subscription is its baseline: earlier ones are not missed")
  func baseline() throws {
    var source = FilteredServer()
    for _ in 0..<5 { source.writeElsewhere() }
    var client = try NoteClient()
    client.write(3, Note(folder: 0, title: "held before"), clock: 1)
    client.receive(source.write(1, Note(folder: 0, title: "a")))
    #expect(client.isFresh(.note(3)) == true)
    #expect(client.store.statistics.resyncs == 0)
  }

  @Test("B40 A reconcile whose events have all arrived meanwhile counts as redundant")
  func redundant() throws {
    var source = FilteredServer()
    var client = try NoteClient()
    client.receive(source.write(1, Note(folder: 0, title: "a")))
    source.writeElsewhere()
    let late = source.write(2, Note(folder: 0, title: "late"))
    client.receive(source.write(3, Note(folder: 0, title: "c")))
    client.wait(.milliseconds(200))
    let reconcile = client.takeReconcile()
    client.receive(late)
    client.complete(reconcile.id, with: source.missed(after: reconcile.after))
    #expect(client.store.statistics.redundantReconciles == 1)
    #expect(client.residents == [1, 2, 3])
  }

  @Test(
    "B40 Every reported event is applied once and in order, under loss and disorder",
    arguments: 0..<24)
  func model(seed: Int) throws {
    var random = RandomSource(seed: UInt64(seed))
    let losesNothing = seed.isMultiple(of: 3)
    var source = FilteredServer()
    var client = try NoteClient()
    var inTransit: [EventEnvelope<Note>] = []
    client.receive(source.write(0, Note(folder: 0, title: "")))
    /// The last sequence up to which all events have arrived: the expected cursor.
    var arrived: Set<UInt64> = [source.last]
    for step in 0..<200 {
      for _ in 0..<random.below(3) { source.writeElsewhere() }
      inTransit.append(source.write(random.below(12), Note(folder: 0, title: "\(step)")))
      while inTransit.count > 3 || !inTransit.isEmpty && random.chance(0.6) {
        let envelope = inTransit.remove(at: random.below(inTransit.count))
        if !losesNothing, random.chance(0.1) { continue }
        client.receive(envelope)
        if random.chance(0.1) { client.receive(envelope) }
        arrived.insert(envelope.place?.position.sequence ?? 0)
      }
      if losesNothing {
        let contiguous = source.told.prefix { arrived.contains($0.place?.position.sequence ?? 0) }
        #expect(
          client.store.cursor(of: source.server.stream)?.sequence
            == contiguous.last?.place?.position.sequence)
      }
      guard !losesNothing, random.chance(0.2) else { continue }
      client.wait(.milliseconds(300))
      while !client.reconciles.isEmpty {
        let reconcile = client.takeReconcile()
        client.complete(reconcile.id, with: source.missed(after: reconcile.after))
      }
    }
    for envelope in inTransit { client.receive(envelope) }
    client.store.receiveHeartbeat(source.place, at: client.now)
    client.wait(.milliseconds(300))
    while !client.reconciles.isEmpty {
      let reconcile = client.takeReconcile()
      client.complete(reconcile.id, with: source.missed(after: reconcile.after))
    }
    client.store.forEachResident { key, note in
      #expect(note == source.server.notes[key]?.payload)
    }
    #expect(client.store.statistics.eventsApplied == source.told.count)
    #expect(client.store.nextDeadline == nil)
    if losesNothing { #expect(client.store.statistics.reconciles == 0) }
  }
}
