import CacheFiles
import CacheModel
import ResponseCache

/// A store that is driven by a program, and what an oracle has to say about it.
///
/// Every body is a number that is published once, so what is served tells what the server said of it.
struct StoreRun: ~Copyable {
  typealias Store = ResponseStore<ModelKey, Int>

  /// What a server, or the app, says of a body.
  struct Published {
    var key: Int
    var kind: ResponseKind
    var maximumAge: Int
    var permission = ResponsePermission.always
    /// Whether another request has another body, and which request has this one.
    var varies = false
    var variant = 0
    /// Whether a 304 says nothing but its ETag.
    var isTerse = false

    var header: [HTTPField] {
      let words = ["", ", must-revalidate", ", no-cache"][Int(permission.rawValue)]
      let fields = [HTTPField("Cache-Control", "max-age=\(maximumAge)\(words)")]
      return fields + (varies ? [HTTPField("Vary", "Accept")] : [])
    }
  }

  struct Flight {
    var ticket: FlightTicket?
    var key: Int
    var variant: Int
    /// The step in which the fetch began.
    var began: Int
    var keeps: [(ticket: KeepTicket, tag: String)] = []
    var asked: Instant
    /// When the store last said what to do, and whether anybody could be asked then.
    var decided: Instant
    var wasOnline: Bool
    var wants: Want
    var answer: Answered?
    /// What the server had when it answered last.
    var confirmed: Int?
    var fault: StoreStep.Fault?
  }

  enum Want: Hashable {
    case file(ResponseKind)
    case server(ResponseCondition?)
  }

  enum Answered {
    case file(BodyReading<Int>)
    case server(Exchange<Int>)
  }

  struct Pair: Hashable {
    var key: Int
    var tag: String
  }

  let options: ResponseOptions
  let defect: PlantedResponseDefect?
  var store: Store
  var disk = ModelDisk()
  var now = Instant.zero.advanced(by: .seconds(1_000_000))
  var step = 0
  var flights: [Flight] = []
  private var operation: StoreOperation<ModelKey, Int>?
  private var result: StoreResult<ModelKey>?

  /// By body.
  var published: [Int: Published] = [:]
  /// By key: what the server has.
  private var present: [Int: [Int]] = [:]
  private var lastBody = 0
  /// By body: until when it may be called fresh.
  var freshUntil: [Int: Instant] = [:]
  /// By body: when the fetch began that brought it last.
  var broughtBy: [Int: Int] = [:]
  /// By body: when the server said last that it is the present one.
  var vouched: [Int: Int] = [:]
  /// By key: when a request changed what the server has, and what is to be written for that to last.
  var invalidated: [Int: (step: Int, change: UInt64?)] = [:]
  /// Keys of which a start has found a body, and nothing that tells of it.
  var unknown: Set<Int> = []
  var removedAll = (step: 0, change: UInt64(0), before: 0)

  /// Tags that are kept, as whoever asked was told.
  var kept: Set<Pair> = []
  /// Keys whose files the program has harmed since they were written.
  private var harmed: Set<Int> = []
  /// Whether it has harmed what is written of entries: what is kept from then on, nobody can say.
  private var isMetadataHarmed = false
  /// Tags that an entry may have.
  var allowed: Set<Pair> = []
  /// What was removed, but may be there again after the process ends.
  private var removals: [(change: UInt64, pairs: Set<Pair>)] = []
  private var waiting: [(ticket: KeepTicket, pair: Pair)] = []
  var lastRead: [Int: Instant] = [:]
  var failure: String?

  init(_ program: StoreProgram, defect: PlantedResponseDefect?) throws {
    options = program.options
    self.defect = defect
    store = try Store(options)
    for key in 0..<StoreProgram.keys {
      publish(key, maximumAge: 10, kind: .json, permission: .always, varies: false)
    }
    begin()
  }

  /// Runs a program to its end or to what is wrong first.
  static func failure(of program: StoreProgram, defect: PlantedResponseDefect?) throws -> String? {
    var run = try StoreRun(program, defect: defect)
    for step in program.steps {
      run.take(step)
      if let failure = run.failure { return "\(failure) at step \(run.step), \(step)" }
    }
    run.settle()
    return run.failure
  }

  private mutating func take(_ step: StoreStep) {
    self.step += 1
    switch step {
    case .fetch(let key, let tag, let variant): fetch(key, tag: tag, variant: variant)
    case .answer(let index, let fault): answer(index, fault)
    case .deliver(let index): deliver(index)
    case .store(let key): storeOwn(key)
    case .removeTag(let tag): remove(tag) { store, now in store.removeTag(tag, at: now) }
    case .sweep: sweep()
    case .removeAll: removeAll()
    case .beginDownload: store.beginDownload(StoreProgram.download, url: "u", at: now)
    case .finishDownload: _ = store.finishDownload(StoreProgram.download, at: now)
    case .removeDownload:
      remove(StoreProgram.download) { store, now in
        store.removeDownload(StoreProgram.download, at: now)
      }
    case .publish(let key, let maximumAge, let kind, let permission, let varies):
      publish(key, maximumAge: maximumAge, kind: kind, permission: permission, varies: varies)
    case .invalidate(let key):
      invalidated[key] = (self.step, store.invalidate(ModelKey(number: key), at: now))
    case .online(let isOnline): store.isOnline = isOnline
    case .effect(let fails): takeEffect(fails)
    case .finishOperation: finishOperation()
    case .damage(let key): loseFile(key) { disk, file in disk.damage(file) }
    case .removeFile(let key): loseFile(key) { disk, file in disk.remove(file) }
    case .damageMetadata:
      disk.damageMetadata()
      // What is written next may tell less than what the process knows.
      kept = []
      isMetadataHarmed = true
    case .advance(let seconds): now = now.advanced(by: .seconds(seconds))
    case .restart: restart()
    }
    askKeeps()
    judge()
  }

  // MARK: The app

  private mutating func publish(
    _ key: Int, maximumAge: Int, kind: ResponseKind, permission: ResponsePermission, varies: Bool
  ) {
    present[key] = (varies ? [0, 1] : [0]).map { variant in
      lastBody += 1
      published[lastBody] = Published(
        key: key, kind: kind, maximumAge: maximumAge, permission: permission, varies: varies,
        variant: variant, isTerse: lastBody.isMultiple(of: 2))
      return lastBody
    }
  }

  static func fields(_ variant: Int) -> [HTTPField] {
    variant == 0 ? [] : [HTTPField("Accept", "other")]
  }

  private mutating func fetch(_ key: Int, tag: String?, variant: Int) {
    if let tag { allowed.insert(Pair(key: key, tag: tag)) }
    let known = store.entry(for: ModelKey(number: key))?.version
    let fields = Self.fields(variant)
    let (next, keep) = store.fetch(ModelKey(number: key), fields: fields, tag: tag, at: now)
    if case .follow = next {
      // Whoever asks would ask again, once that has ended.
      if !flights.contains(where: { $0.key == key }) { failure = "a fetch follows nothing" }
      return
    }
    if case .join(let ticket) = next {
      guard let index = flights.firstIndex(where: { $0.ticket == ticket }) else {
        failure = "a fetch joins nothing"
        return
      }
      if flights[index].variant != variant { failure = "a fetch joins one of another kind" }
      if let keep, let tag { flights[index].keeps.append((keep, tag)) }
      return
    }
    if case .exchange = next, let known, known.isUsable(at: now),
      known.header.selects(fields)
    {
      failure = "the server is asked for a fresh body"
    }
    if flights.contains(where: { $0.key == key }) { failure = "two fetch \(key) at once" }
    var flight = Flight(
      key: key, variant: variant, began: step, asked: now, decided: now, wasOnline: store.isOnline,
      wants: .file(.json))
    if let keep, let tag { flight.keeps.append((keep, tag)) }
    proceed(flight, next)
  }

  /// Takes what the store wants next for a fetch.
  private mutating func proceed(_ flight: Flight, _ next: FetchStep<Int>) {
    var flight = flight
    switch next {
    case .served(let served): judge(served, flight)
    case .failed(let reason):
      judge(reason, flight)
      for keep in flight.keeps { store.forget(keep.ticket) }
    case .join, .follow: failure = "a fetch under way joins another"
    case .read(let ticket, let kind):
      (flight.ticket, flight.wants) = (ticket, .file(kind))
      (flight.decided, flight.wasOnline) = (now, store.isOnline)
      flights.append(flight)
    case .exchange(let ticket, let condition):
      (flight.ticket, flight.wants, flight.asked) = (ticket, .server(condition), now)
      flights.append(flight)
    }
  }

  private mutating func answer(_ index: Int, _ fault: StoreStep.Fault?) {
    guard flights.indices.contains(index), flights[index].answer == nil else { return }
    switch flights[index].wants {
    case .file(let kind):
      flights[index].answer = .file(readFile(flights[index].key, kind, fault))
    case .server(let condition):
      flights[index].fault = fault
      flights[index].answer = .server(ask(index, condition, fault))
    }
  }

  private func readFile(
    _ key: Int, _ kind: ResponseKind, _ fault: StoreStep.Fault?
  ) -> BodyReading<Int> {
    if fault == .unreadable { return .unreadable }
    guard let file = disk.bodies[ModelFile(key: key, kind: kind)] else { return .absent }
    let body = file.body ?? -1
    return .found(body, bytes: file.bytes, digest: Self.digest(body), isSound: body >= 0)
  }

  private mutating func ask(
    _ index: Int, _ condition: ResponseCondition?, _ fault: StoreStep.Fault?
  ) -> Exchange<Int> {
    let flight = flights[index]
    guard let bodies = present[flight.key], let said = published[bodies[flight.variant % bodies.count]]
    else { return .offline }
    let body = bodies[flight.variant % bodies.count]
    flights[index].confirmed = body
    let isPresent = [Self.etag(body), Self.falseTag(body)].contains {
      condition == .etag($0)
    }
    var status = isPresent ? 304 : 200
    switch fault {
    case .serverError: status = 503
    case .notFound: status = 404
    case .timeOut: return .timedOut
    case .transport: return .failed("reset")
    case .offline: return .offline
    case .lyingConfirmation: status = 304
    case .lyingTag, .noStore, .unreadable, nil: break
    }
    let isLying = fault == .lyingTag || fault == .lyingConfirmation
    var header = fault == .noStore ? [HTTPField("Cache-Control", "no-store")] : said.header
    if status == 304, said.isTerse, fault != .noStore { header = [] }
    if status == 200 || status == 304 && isPresent {
      vouched[body] = step
      let until = now.advanced(by: .seconds(said.maximumAge))
      if fault != .noStore { freshUntil[body] = max(freshUntil[body] ?? until, until) }
    }
    return .answered(
      Answer(
        status: status, body: body, bytes: Self.bytes(body), digest: Self.digest(body),
        kind: said.kind, etag: isLying ? Self.falseTag(body) : Self.etag(body),
        fields: CacheFields(header), header: header, asked: flight.asked))
  }

  private mutating func deliver(_ index: Int) {
    guard flights.indices.contains(index), let answer = flights[index].answer else { return }
    var flight = flights.remove(at: index)
    flight.answer = nil
    guard let ticket = flight.ticket else { return }
    switch answer {
    case .file(let reading):
      proceed(flight, store.finishRead(ticket, reading, at: now))
    case .server(let exchange):
      if case .answered(let answer) = exchange, answer.status < 400 { unknown.remove(flight.key) }
      if case .answered(let answer) = exchange, answer.status == 200 {
        broughtBy[answer.body] = flight.began
      }
      proceed(flight, store.finishExchange(ticket, exchange, at: now))
    }
  }

  private mutating func storeOwn(_ key: Int) {
    lastBody += 1
    let until = now.advanced(by: .seconds(5))
    published[lastBody] = Published(key: key, kind: .json, maximumAge: 5)
    freshUntil[lastBody] = until
    broughtBy[lastBody] = step
    vouched[lastBody] = step
    unknown.remove(key)
    lastRead[key] = now
    store.store(
      lastBody,
      BodyVersion(
        kind: .json, bytes: Self.bytes(lastBody), digest: Self.digest(lastBody),
        etag: Self.etag(lastBody), generatedAt: now, staleAt: until),
      for: ModelKey(number: key), at: now)
  }

  private mutating func remove(
    _ tag: String, _ action: (inout Store, Instant) -> UInt64
  ) {
    let pairs = allowed.filter { $0.tag == tag }
    allowed.subtract(pairs)
    kept.subtract(pairs)
    removals.append((action(&store, now), pairs))
  }

  private mutating func removeAll() {
    let change = store.removeAll(at: now)
    removals.append((change, allowed))
    removedAll = (step, change, isRemovalWritten ? removedAll.step : removedAll.before)
    allowed = []
    kept = []
    lastRead = [:]
  }

  private var isRemovalWritten: Bool { store.state(of: removedAll.change) == .written }

  private mutating func sweep() {
    let before = implicitBytes
    store.sweep(at: now)
    if implicit.count > options.maximumEntries { failure = "a sweep leaves \(implicit.count)" }
    judgeEviction(from: before)
  }

  /// By key without a tag: what its entry counts for in files.
  private var implicitBytes: [Int: Int] {
    var bytes: [Int: Int] = [:]
    for key in implicit { bytes[key] = bytesOnDisk(key) }
    return bytes
  }

  var implicit: Set<Int> {
    var keys: Set<Int> = []
    for key in 0..<StoreProgram.keys
    where store.entry(for: ModelKey(number: key))?.tags.isEmpty == true {
      keys.insert(key)
    }
    return keys
  }

  private mutating func askKeeps() {
    waiting.removeAll { wait in
      switch store.keepState(wait.ticket) {
      case .waiting: return false
      case .kept:
        if !harmed.contains(wait.pair.key), !isMetadataHarmed { kept.insert(wait.pair) }
        return true
      case .failed: return true
      }
    }
  }

  mutating func wait(for keeps: [(ticket: KeepTicket, tag: String)], of key: Int) {
    waiting += keeps.map { ($0.ticket, Pair(key: key, tag: $0.tag)) }
  }

  var isWaiting: Bool { !waiting.isEmpty }

  // MARK: The files

  private mutating func takeEffect(_ fails: FileFailure.Kind?) {
    if operation == nil {
      let before = implicitBytes
      operation = store.nextOperation(at: now)
      judgeEviction(from: before)
    }
    guard let operation, result == nil else { return }
    let isFailing = fails != nil
    if !isFailing, case .writeBody(let key, _, _) = operation { harmed.remove(key.number) }
    let done = disk.perform(
      operation, layout: options.metadataLayout, fails: isFailing, bytes: Self.bytes)
    result = fails.map { .failed(FileFailure(kind: $0, call: "test")) } ?? done
  }

  private mutating func finishOperation() {
    guard let finished = result else { return }
    (operation, result) = (nil, nil)
    store.finishOperation(finished, at: now)
  }

  private mutating func loseFile(_ key: Int, _ action: (inout ModelDisk, ModelFile) -> Void) {
    for kind in ResponseKind.allCases { action(&disk, ModelFile(key: key, kind: kind)) }
    kept = kept.filter { $0.key != key }
    harmed.insert(key)
  }

  /// The process ends, and another begins: what waited is lost.
  mutating func restart() {
    for removal in removals where store.state(of: removal.change) != .written {
      allowed.formUnion(removal.pairs)
    }
    if !isRemovalWritten { removedAll.step = removedAll.before }
    for (key, removal) in invalidated {
      if let change = removal.change, store.state(of: change) == .written {
        invalidated[key]?.change = nil
      } else if removal.change != nil {
        invalidated[key] = nil
      }
    }
    removedAll.change = 0
    guard let next = try? Store(options) else { return }
    store = next
    begin()
    (flights, waiting, removals, lastRead) = ([], [], [], [:])
    for key in 0..<StoreProgram.keys {
      let entry = store.entry(for: ModelKey(number: key))
      lastRead[key] = entry?.lastRead
      if let entry, entry.version.digest == nil { unknown.insert(key) }
    }
    judgeStart()
  }

  /// Opens the folder.
  private mutating func begin() {
    #if PLANTED_DEFECTS
      store.defect = defect
    #endif
    (operation, result) = (nil, nil)
    takeEffect(nil)
    finishOperation()
  }

  mutating func drain() {
    for _ in 0..<1_000 {
      takeEffect(nil)
      finishOperation()
      if store.isIdle && operation == nil { break }
    }
    askKeeps()
  }

  /// Has all fetches end without faults.
  mutating func land() {
    for _ in 0..<1_000 where !flights.isEmpty {
      step += 1
      answer(0, nil)
      deliver(0)
      if failure != nil { return }
    }
    if !flights.isEmpty { failure = "a fetch never ends" }
  }

  mutating func fetchAndLand(_ key: Int) {
    step += 1
    fetch(key, tag: nil, variant: 0)
    land()
  }

  // MARK: Bodies

  static func digest(_ body: Int) -> BodyDigest {
    BodyDigest(words: [UInt64(bitPattern: Int64(body))])
  }
  static func etag(_ body: Int) -> String { "\"\(body)\"" }
  /// What a server says that lies; one that gives two bodies the same tag cannot be seen through.
  static func falseTag(_ body: Int) -> String { "\"false \(body)\"" }
  /// Of few sizes, so that many are alike.
  static func bytes(_ body: Int) -> Int { 10 + body % 2 }
}
