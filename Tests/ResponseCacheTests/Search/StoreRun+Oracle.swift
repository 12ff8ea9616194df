import CacheModel
import ResponseCache

/// The invariants.
extension StoreRun {
  mutating func judge(_ served: Served<Int>, _ flight: Flight) {
    let (body, key) = (served.body, flight.key)
    guard let said = published[body], said.key == key else {
      failure = "\(key) is served \(body), which is not its own"
      return
    }
    if said.varies, said.variant != flight.variant {
      failure = "\(body) is served to a request that it is no answer to"
    }
    if served.freshness != .confirmed { judgePermission(served, said, flight) }
    if served.kind != said.kind { failure = "\(body) is called \(served.kind)" }
    switch served.freshness {
    case .fresh:
      if flight.decided >= freshUntil[body] ?? .zero {
        failure = "\(body) is called fresh past its time"
      }
    case .confirmed:
      if body != flight.confirmed {
        failure = "\(body) is called present, the server had \(flight.confirmed ?? 0)"
      }
    case .offline:
      if store.isOnline, flight.wasOnline, flight.fault != .offline {
        failure = "\(body) is served as if offline"
      }
    case .stale(let fault):
      if !options.servesStaleAfter.contains(fault) { failure = "\(body) is served after \(fault)" }
    }
    if served.source != .network, broughtBy[body] ?? 0 < removedAll.step {
      failure = "\(body) is served, though all was removed"
    }
    if store.entry(for: ModelKey(number: key)) != nil { lastRead[key] = now }
    wait(for: flight.keeps, of: key)
  }

  /// A body that is served without the server's word for it.
  private mutating func judgePermission(
    _ served: Served<Int>, _ said: Published, _ flight: Flight
  ) {
    let (body, key) = (served.body, flight.key)
    guard !unknown.contains(key) else { return }
    if said.permission == .afterAsking { failure = "\(body) is served without asking" }
    if said.permission == .whileFresh, served.freshness != .fresh,
      flight.decided >= freshUntil[body] ?? .zero
    {
      failure = "\(body) is served stale, which the server forbids"
    }
    if let invalidation = invalidated[key], flight.began > invalidation.step,
      vouched[body] ?? 0 < invalidation.step
    {
      failure = "\(body) is served, though a request may have changed it"
    }
  }

  /// A fetch that fails although its body is stored.
  mutating func judge(_ reason: FetchFailure, _ flight: Flight) {
    let version = store.entry(for: ModelKey(number: flight.key))?.version
    if reason == .needsServer, version?.permission == .always {
      failure = "\(flight.key) is withheld, though it may be used"
    }
    guard reason == .offline, kept.contains(where: { $0.key == flight.key }),
      version?.header.selects(Self.fields(flight.variant)) ?? true
    else { return }
    failure = "\(flight.key) is not to be had offline, though a tag keeps it"
  }

  /// After every step.
  mutating func judge() {
    guard failure == nil else { return }
    failure = store.invariantFailure()
    for key in 0..<StoreProgram.keys {
      let tags = store.entry(for: ModelKey(number: key))?.tags ?? []
      for tag in tags where !allowed.contains(Pair(key: key, tag: tag)) {
        failure = "\(key) has the tag \(tag), which was removed"
      }
      for pair in kept where pair.key == key && !tags.contains(pair.tag) {
        failure = "\(key) has lost the tag \(pair.tag), which was kept"
      }
    }
    if store.memoryCount > options.memoryEntries { failure = "memory holds too many bodies" }
  }

  /// After a call that may have evicted entries: it did if it had to, no more, and in order.
  mutating func judgeEviction(from before: [Int: Int]) {
    let after = implicit
    let gone = Set(before.keys).subtracting(after)
    let used = (0..<StoreProgram.keys).reduce(0) { $0 + bytesOnDisk($1) }
    if let limit = options.diskBytes, used > limit, !after.isEmpty {
      failure = "files take \(used) of \(limit), though \(after) may go"
    }
    if let limit = options.memoryBytes, store.memoryCount > 0,
      store.tableBytes + store.bodyBlocks > limit
    {
      failure = "memory takes \(store.tableBytes + store.bodyBlocks) of \(limit)"
    }
    guard let largest = gone.compactMap({ before[$0] }).max() else { return }
    if after.count < options.maximumEntries,
      options.diskBytes.map({ used + largest <= $0 }) ?? true
    {
      failure = "\(gone) had to leave, though there was space"
    }
    guard options.evictionOrder == "lru" else { return }
    let oldest = after.compactMap { lastRead[$0] }.min() ?? .distantFuture
    for key in gone where (lastRead[key] ?? .zero) > oldest {
      failure = "\(key) had to leave, which was read after what stays"
    }
  }

  /// The state of a key's entry.
  func bytesOnDisk(_ key: Int) -> Int {
    store.entry(for: ModelKey(number: key)).map {
      $0.version.bytes + $0.version.header.byteCount + ResponseOptions.entryOverhead
    } ?? 0
  }

  /// After a start: what gave downloads up has removed their tags.
  mutating func judgeStart() {
    if options.unfinishedDownloads == .giveUp {
      if store.downloadRecords.contains(where: { $0.state == .downloading }) {
        failure = "a download that was given up is shown"
      }
      let given = kept.filter { $0.tag == StoreProgram.download }
      if !store.downloadRecords.contains(where: { $0.id == StoreProgram.download }) {
        kept.subtract(given)
      }
    }
    for pair in kept where store.entry(for: ModelKey(number: pair.key)) == nil {
      failure = "\(pair.key) is lost, though \(pair.tag) keeps it"
    }
    if implicit.count > options.maximumEntries { failure = "a start leaves \(implicit.count)" }
  }

  /// Lets everything end, and checks the remaining state.
  mutating func settle() {
    settleOnce()
    guard failure == nil else { return }
    restart()
    if failure == nil { judge() }
    guard failure == nil else { return }
    settleOnce()
    guard failure == nil else { return }
    store.isOnline = false
    // One after the other, since they may be the same key's.
    for key in Set(kept.map(\.key)).sorted() {
      fetchAndLand(key)
      if failure != nil { return }
    }
  }

  private mutating func settleOnce() {
    step += 1
    store.isOnline = true
    land()
    guard failure == nil else { return }
    drain()
    for key in 0..<StoreProgram.keys {
      fetchAndLand(key)
      guard failure == nil else { return }
    }
    // All is written by then, however it came about.
    now = now.advanced(by: options.flushInterval)
    store.sweep(at: now)
    drain()
    now = now.advanced(by: options.flushInterval)
    drain()
    judge()
    guard failure == nil else { return }
    guard store.isIdle, store.disk == .available else {
      failure = "the store never comes to rest"
      return
    }
    if isWaiting { failure = "somebody waits for a tag forever" }
    judgeFiles()
  }

  private mutating func judgeFiles() {
    var expected: Set<ModelFile> = []
    for key in 0..<StoreProgram.keys {
      guard let entry = store.entry(for: ModelKey(number: key)) else { continue }
      let file = ModelFile(key: key, kind: entry.version.kind)
      expected.insert(file)
      let body = disk.bodies[file]?.body
      if body.map(Self.digest) != entry.version.digest {
        // Damage by the program shows at the next read.
        if body != nil || kept.contains(where: { $0.key == key }) {
          failure = "the file of \(key) holds \(body ?? -1)"
        }
      }
      let written = disk.written(options.metadataLayout).first { $0.key.number == key }
      if written?.tags != entry.tags || written?.versions != [entry.version] {
        failure = "of \(key) something else is written"
      }
      if let read = lastRead[key], written?.lastRead != read {
        failure = "of \(key) it is not written that it was read"
      }
    }
    let orphans = Set(disk.bodies.keys).subtracting(expected)
    if !orphans.isEmpty { failure = "\(orphans) belong to nothing" }
    let unknown = disk.written(options.metadataLayout).filter {
      store.entry(for: $0.key) == nil
    }
    if !unknown.isEmpty { failure = "\(unknown) is written of nothing" }
  }
}
