import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

@Suite("Random mutations compared with a model", .timeLimit(.minutes(30)))
struct OverlaySearchTests {
  @Test(
    "B45 B46 B47 B48 Any order of commits, rollbacks and events shows what replaying over the confirmed shows",
    arguments: 0..<16)
  func search(seed: Int) throws {
    var program = try OverlayProgram(seed: UInt64(seed))
    program.run(steps: 150)
    #expect(program.difference == nil)
    #expect(program.notifications > 10, "a program without changes shows nothing")
  }

  #if PLANTED_DEFECTS
    @Test(
      "The model finds planted faults in the overlay and in its notifications",
      arguments: [
        PlantedDefect.rollbackRestoresWrongValue, .overlayOutOfOrder, .olderOverwritesNewer,
        .notificationSwallowed, .notificationRepeated,
      ])
    func findsDefects(defect: PlantedDefect) throws {
      let isFound = try (0..<UInt64(16)).contains { seed in
        var program = try OverlayProgram(seed: seed, planting: defect)
        program.run(steps: 150)
        return program.difference != nil
      }
      #expect(isFound)
    }
  #endif
}

/// A random program of a user's mutations, other users' changes, and a network that delays both.
///
/// After each step the store must show what the model shows, and must have notified exactly those
/// observers whose rows differ.
struct OverlayProgram: ~Copyable {
  private let seed: UInt64
  private var random: RandomSource
  private var server = NoteServer()
  private var client: NoteClient
  private var model = OverlayModel()
  private var inTransit: [EventEnvelope<Note>] = []
  private var answers: [(token: MutationToken, response: MutationResponse<Note>)] = []
  /// Mutations that the server has not applied.
  private var unsent: [NoteMutation] = []
  private var lastNumber = 0
  private(set) var notifications = 0
  /// The first between the store and the model, with its step; the program ends there.
  private(set) var difference: String?

  static let queries: [NoteQuery] = [
    .folder(0), .folder(1), .folder(2), .starred(limit: 100), .starred(limit: 3), .opaque,
  ]

  init(seed: UInt64, planting defect: PlantedDefect? = nil) throws {
    self.seed = seed
    random = RandomSource(seed: seed)
    client = try NoteClient()
    client.store.planted.defect = defect
    for number in 0..<8 where random.chance(0.8) { server.write((number, anyNote())) }
    for query in Self.queries {
      client.store.addObserver(of: query.key(), at: client.now)
      client.read(query)
    }
    while !client.fetches.isEmpty { answerFetch() }
    _ = client.takeNotified()
  }

  mutating func run(steps: Int) {
    for number in 0..<steps where difference == nil {
      let before = rows()
      let step = step()
      check(before, (number, step))
    }
  }

  // MARK: Steps

  private mutating func step() -> String {
    switch random.below(16) {
    case 0...2: return begin()
    case 3, 4: return carryOut()
    case 5, 6: return commit()
    case 7: return rollBack()
    case 8, 9: return otherUser()
    case 10...12: return deliver()
    case 13:
      client.wait(.seconds(1 + random.below(10)))
      model.advance(to: client.now)
      return "wait"
    default: return answerFetch()
    }
  }

  private mutating func begin() -> String {
    lastNumber += 1
    var mutation = NoteMutation(lastNumber)
    for _ in 0...random.below(3) { mutation.edits.append(anyEdit()) }
    let timeout: Duration? = random.chance(0.3) ? .seconds(20) : nil
    model.begin(mutation, deadline: timeout.map { client.now.advanced(by: $0) })
    unsent.append(mutation)
    do {
      try client.begin(mutation, timeout: timeout)
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
    return "begin"
  }

  private mutating func carryOut() -> String {
    guard !unsent.isEmpty else { return "nothing to send" }
    let mutation = unsent.remove(at: random.below(unsent.count))
    var (response, events) = server.carryOut(mutation)
    for index in events.indices where random.chance(0.3) { events[index].keys = [:] }
    inTransit += events
    answers.append((mutation.token, response))
    if random.chance(0.2) { answers.append((mutation.token, response)) }
    return "server carries out"
  }

  private mutating func commit() -> String {
    guard !answers.isEmpty else { return "no answer" }
    let answer = answers.remove(at: random.below(answers.count))
    model.commit(answer.token, answer.response)
    client.commit(Int(answer.token.rawValue.low), answer.response)
    return "commit"
  }

  private mutating func rollBack() -> String {
    let token =
      model.pending.isEmpty || random.chance(0.1)
      ? MutationToken.mutation(77_777)
      : model.pending[random.below(model.pending.count)].mutation.token
    model.rollBack(token)
    client.rollBack(Int(token.rawValue.low))
    unsent.removeAll { $0.token == token && random.chance(0.8) }
    return "roll back"
  }

  private mutating func otherUser() -> String {
    let keys = server.notes.keys.sorted()
    if let key = keys.isEmpty ? nil : keys[random.below(keys.count)], random.chance(0.8) {
      if random.chance(0.2) {
        inTransit.append(server.delete(key))
      } else {
        let note = random.chance(0.2) ? server.notes[key]?.payload : nil
        inTransit.append(server.write([(key, note ?? anyNote())]))
      }
    } else {
      inTransit.append(server.write((random.below(12), anyNote())))
    }
    return "another user"
  }

  private mutating func deliver() -> String {
    guard !inTransit.isEmpty else { return "no event" }
    let envelope = inTransit.removeFirst()
    model.receive(envelope)
    client.receive(envelope)
    return "deliver"
  }

  /// An answer is read at the server's place, so the events before it come first.
  @discardableResult
  private mutating func answerFetch() -> String {
    guard !client.fetches.isEmpty else { return "no fetch" }
    while !inTransit.isEmpty { return deliver() }
    let fetch = client.takeFetch()
    let response = server.answer(fetch.target)
    if case .query(let key) = fetch.target { model.fetched(NoteQuery(key), response) }
    client.complete(fetch.id, with: response)
    return "answer"
  }

  // MARK: Draws

  private mutating func anyEdit() -> NoteMutation.Edit {
    if random.chance(0.25) {
      lastNumber += 1
      return .create(.temporary(lastNumber), anyNote())
    }
    let key = anyKey()
    if random.chance(0.25) { return .delete(key) }
    switch random.below(3) {
    case 0: return .update(key, .title(anyTitle()))
    case 1: return .update(key, .folder(random.below(3)))
    default: return .update(key, .star(random.chance(0.5)))
    }
  }

  /// Usually a note that is shown; sometimes one that is not, or one under its former key.
  private mutating func anyKey() -> EntityKey {
    let keys = model.shown.keys.sorted()
    switch random.below(10) {
    case 0: return .note(random.below(12))
    case 1: return .temporary(1 + random.below(max(lastNumber, 1)))
    default: return keys.isEmpty ? .note(0) : keys[random.below(keys.count)]
    }
  }

  private mutating func anyNote() -> Note {
    Note(
      folder: random.below(3), title: anyTitle(), isStarred: random.chance(0.4),
      text: String(repeating: "x", count: random.below(3)))
  }

  private mutating func anyTitle() -> String { String(UnicodeScalar(UInt8(97 + random.below(6)))) }

  // MARK: Checks

  private func rows() -> [[OverlayModel.Row]] {
    Self.queries.map { query in
      (client.store.rows(of: query.key()) ?? []).compactMap { entity in
        entity.map { OverlayModel.Row(key: $0.key, note: $0.payload) }
      }
    }
  }

  private mutating func check(_ before: [[OverlayModel.Row]], _ place: (step: Int, name: String)) {
    let told = client.takeNotified()
    notifications += told.count
    let now = rows()
    for (index, query) in Self.queries.enumerated() {
      // A window's confirmed rows are known to be the server's only while it is fresh.
      let isKnown = query.limit != 3 || client.isFresh(query)
      if isKnown, !model.rows(of: query).contains(now[index]) {
        note("\(query) shows \(now[index])", at: place)
      }
      if told.count(where: { $0 == query.key() }) != (before[index] == now[index] ? 0 : 1) {
        note("\(query) showed \(before[index]), shows \(now[index])", at: place)
      }
    }
    let shown = model.shown
    for key in model.pendingKeys where client.store.peek(key)?.payload != shown[key] {
      note("\(key.id) is another note", at: place)
    }
    client.store.checkInvariants()
  }

  private mutating func note(_ what: String, at place: (step: Int, name: String)) {
    difference = difference ?? "seed \(seed), step \(place.step), \(place.name): \(what)"
  }
}
