import CacheModel
import CacheTestSupport
import NormalizedCache
import Testing

@Suite("A limit on memory: predicting the tables", .timeLimit(.minutes(30)))
struct MemoryLimitTests {
  static let megabyte = 1 << 20
  static let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))

  static func composition(
    _ memory: Int, _ retention: Retention = .none, limit: LimitKind = .hard, order: String = "lru"
  ) -> CachePolicy {
    CachePolicy(
      evictionOrder: order, capacity: Capacity(entities: nil, memory: memory), limit: limit,
      retention: retention, freshness: .neverExpires, maximumQueries: nil)
  }

  /// A store of books, and the most that it was predicted to take after a call.
  struct Reader: ~Copyable {
    var store: CacheStore<BookSchema>
    private(set) var peak = 0
    private var version: UInt64 = 0

    init(_ composition: CachePolicy, bytesPerWeight: Double = 1.1) throws {
      store = try CacheStore(
        composition: composition, schema: BookSchema(), seed: 0,
        values: ValueMemory(stride: 8, bytesPerWeight: bytesPerWeight), looksAhead: false,
        wrapping: nil)
    }

    mutating func didCall() {
      peak = max(peak, store.predictedBytes)
      _ = store.takeActions()
    }

    static func key(_ shelf: Int) -> QueryKey {
      let input = (0..<8).map { UInt8(truncatingIfNeeded: shelf >> (8 * $0)) }
      return QueryKey(library: library, method: QueryMethod(rawValue: 1), input: input)
    }

    mutating func book(_ number: Int, shelf: Int, bytes: Int) -> VersionedEntity<Book> {
      version += 1
      return VersionedEntity(
        key: EntityKey(
          type: ResourceType(rawValue: 1), id: UniqueID(high: 1, low: UInt64(number))),
        version: Version(clock: version, device: 1), payload: Book(shelf: shelf, bytes: bytes))
    }

    /// Reads a shelf; has it answered unless it is a hit.
    ///
    /// - Returns: whether it was a hit, and the number of rows for waiting callers.
    @discardableResult
    mutating func read(
      _ shelf: Int, books: Range<Int>, on place: Int? = nil, bytes: Int = 900
    ) -> (isHit: Bool, rows: Int) {
      let read = store.read(Self.key(shelf), at: .zero)
      didCall()
      guard let fetch = read.fetch else { return (true, 0) }
      let rows = books.map { book($0, shelf: place ?? shelf, bytes: bytes) }
      let response = FetchResponse(entities: rows, hasMore: false, place: nil)
      store.completeFetch(fetch, with: response, at: .zero)
      let returned = store.rows(of: .query(Self.key(shelf)), answeredBy: response).count
      didCall()
      return (false, returned)
    }

    mutating func observe(_ shelf: Int, books: Range<Int>, bytes: Int = 900) {
      store.addObserver(of: Self.key(shelf), at: .zero)
      didCall()
      read(shelf, books: books, bytes: bytes)
    }

    /// So many books that no shelf has, a thousand an event.
    mutating func storm(from first: Int, count: Int, bytes: Int = 900) {
      for start in stride(from: first, to: first + count, by: 1_000) {
        let items = (start..<min(start + 1_000, first + count)).map {
          book($0, shelf: -1, bytes: bytes)
        }
        store.receive(EventEnvelope(place: nil, event: .batchChanged(items)), at: .zero)
        didCall()
      }
    }
  }

  @Test("B10 Eviction begins above the high mark of memory, and goes on to the low one")
  func watermarks() throws {
    var composition = Self.composition(Self.megabyte)
    composition.capacity.highWatermark = 0.9
    composition.capacity.lowWatermark = 0.6
    var reader = try Reader(composition)
    let mark = Double(Self.megabyte)
    var bouts = 0
    for number in 0..<2_000 {
      let before = reader.store.statistics.evictions
      reader.storm(from: number, count: 1)
      guard reader.store.statistics.evictions > before else { continue }
      bouts += 1
      #expect(Double(reader.store.predictedBytes) <= 0.6 * mark)
    }
    #expect(Double(reader.peak) <= 0.9 * mark)
    #expect(Double(reader.peak) > 0.89 * mark)
    // Between two bouts there is space for some 300 books.
    #expect((2...12).contains(bouts))
  }

  @Test(
    "B10 A storm of pushed entities takes the available space, and no more",
    arguments: [(1, 100_000), (5, 20_000), (20, 40_000)])
  func storm(megabytes: Int, count: Int) throws {
    var reader = try Reader(Self.composition(megabytes * Self.megabyte))
    reader.storm(from: 0, count: count)
    #expect(reader.peak <= megabytes * Self.megabyte)
    #expect(reader.peak > megabytes * Self.megabyte * 9 / 10, "space is not left for nothing")
    #expect(reader.store.overLimit.map { $0 <= 1 && $0 > 0.9 } == true)
    reader.store.checkInvariants()
  }

  @Test("B10 B11 A list of 10,000 rows is returned, and kept as far as there is space")
  func longList() throws {
    for (megabytes, keeps) in [(1, false), (5, true), (20, true)] {
      let retentions: [Retention] = keeps ? [.none, .cached] : Retention.allCases
      for retention in megabytes == 20 ? [.referenceCountObserved] : retentions {
        var reader = try Reader(Self.composition(megabytes * Self.megabyte, retention))
        #expect(reader.read(1, books: 0..<10_000).rows == 10_000)
        let isKept = reader.store.members(of: Reader.key(1)) != nil
        // Under this retention, unobserved data is not kept in any case.
        #expect(isKept == (keeps && retention != .referenceCountObserved), "\(retention)")
        reader.observe(2, books: 20_000..<30_000)
        #expect((reader.store.members(of: Reader.key(2))?.count == 10_000) == keeps)
        #expect(reader.peak <= megabytes * Self.megabyte, "\(megabytes) MB, \(retention)")
        #expect(
          reader.read(3, books: 40_000..<40_010).rows == 10, "and what is short finds space again")
        reader.store.checkInvariants()
      }
    }
  }

  @Test("B11 A list without space is requested by a read only, and notified by none")
  func declined() throws {
    var reader = try Reader(Self.composition(Self.megabyte, .cached))
    reader.read(1, books: 0..<100)
    reader.observe(2, books: 1_000..<11_000)
    let place = EventEnvelope<Book>.Place(
      stream: StreamID(library: Self.library), position: StreamPosition(epoch: 1, sequence: 0))
    for _ in 0..<3 { reader.store.receiveHeartbeat(place, at: .zero) }
    #expect(reader.store.takeActions() == [])
    #expect(reader.store.rows(of: Reader.key(2)) == nil)
    #expect(reader.store.isFresh(Reader.key(2), at: .zero) == false)
    let isHit = reader.read(1, books: 0..<100).isHit
    #expect(isHit, "nothing was given up for it")
    let again = reader.read(2, books: 1_000..<11_000)
    #expect(again.isHit == false)
    #expect(again.rows == 10_000)
    // Shorter today, it fits.
    #expect(reader.read(2, books: 1_000..<1_200).rows == 200)
    #expect(reader.read(2, books: 1_000..<1_200).isHit)
    reader.store.checkInvariants()
  }

  @Test("B27 An older answer without space takes nothing away from a newer list")
  func olderAnswer() throws {
    var reader = try Reader(Self.composition(Self.megabyte, .cached))
    func place(_ sequence: UInt64) -> EventEnvelope<Book>.Place {
      EventEnvelope<Book>.Place(
        stream: StreamID(library: Self.library),
        position: StreamPosition(epoch: 1, sequence: sequence))
    }
    reader.store.receiveHeartbeat(place(5), at: .zero)
    reader.observe(2, books: 0..<10)
    reader.store.invalidate(Reader.key(2), at: .zero)
    let action = reader.store.takeActions().first
    guard case .fetch(let fetch, _)? = action else {
      Issue.record("nothing is fetched")
      return
    }
    let rows = (0..<10_000).map { reader.book($0, shelf: 2, bytes: 900) }
    reader.store.completeFetch(
      fetch, with: FetchResponse(entities: rows, hasMore: false, place: place(3)), at: .zero)
    reader.didCall()
    #expect(reader.store.members(of: Reader.key(2))?.count == 10)
    reader.store.checkInvariants()
  }

  @Test("B9 Thousands of queries displace one another", arguments: Retention.allCases)
  func manyQueries(retention: Retention) throws {
    var reader = try Reader(Self.composition(Self.megabyte, retention))
    for shelf in 0..<4_000 { reader.read(shelf, books: shelf * 5..<shelf * 5 + 5, bytes: 100) }
    #expect(reader.peak <= Self.megabyte)
    if retention != .referenceCountObserved {
      #expect(reader.store.cachedQueries > 500)
      #expect(reader.read(3_999, books: 0..<0).isHit, "the last read is among those that stayed")
    }
    reader.store.checkInvariants()
  }

  @Test(
    "B9 One query more takes the place of one, and not of all others",
    arguments: Array(stride(from: 20_000, to: 60_000, by: 4_000)))
  func oneQueryMore(bytes: Int) throws {
    var reader = try Reader(Self.composition(Self.megabyte))
    var lost: [Int] = []
    for shelf in 0..<600 {
      reader.read(shelf, books: shelf..<shelf + 1, bytes: bytes)
      for former in max(shelf - 4, 0)..<shelf
      where reader.store.rows(of: Reader.key(former)) == nil { lost.append(former) }
    }
    #expect(lost.isEmpty, "there is room for ten books and more: \(lost.prefix(8))")
    #expect(reader.peak <= Self.megabyte)
    reader.store.checkInvariants()
  }

  @Test("B10 Queries that list the same entities take what their listings take")
  func sharedRows() throws {
    var reader = try Reader(Self.composition(Self.megabyte, .cached))
    for shelf in 0..<200 { reader.read(shelf, books: 0..<200, on: Book.everyShelf, bytes: 20) }
    #expect(reader.peak <= Self.megabyte)
    #expect(reader.store.cachedQueries < 200)
    #expect(reader.store.cachedQueries > 50)
    reader.store.checkInvariants()
  }

  @Test("B9 Queries that could not be answered from the cache are evicted first")
  func skeletons() throws {
    // Room for some 900 books; every list is read once and never again.
    var reader = try Reader(Self.composition(Self.megabyte))
    for shelf in 0..<2_000 { reader.read(shelf, books: shelf * 10..<shelf * 10 + 10) }
    #expect(reader.store.residentEntities > 600, "lists without values have not taken the space")
    var hits = 0
    for shelf in 1_950..<2_000 where reader.read(shelf, books: 0..<0).isHit { hits += 1 }
    #expect(hits == 50)
    #expect(reader.peak <= Self.megabyte)
  }

  @Test("B42 Deletions are remembered as far as there is space, and older writes stay doubted")
  func deletions() throws {
    var reader = try Reader(Self.composition(Self.megabyte))
    for start in stride(from: 0, to: 20_000, by: 500) {
      let keys = (start..<start + 500).map { number in
        EntityKey(type: ResourceType(rawValue: 1), id: UniqueID(high: 1, low: UInt64(number)))
      }
      let event = CacheEvent<Book>.deleted(keys, version: Version(clock: 1 << 30, device: 1))
      reader.store.receive(EventEnvelope(place: nil, event: event), at: .zero)
      reader.didCall()
    }
    #expect(reader.peak <= Self.megabyte)
    // Repeated, late and from an unknown source.
    reader.storm(from: 0, count: 1_000)
    #expect(reader.store.residentEntities == 0)
    reader.store.checkInvariants()
  }

  @Test("B15 Observers are never refused, whatever memory their queries take")
  func observers() throws {
    var reader = try Reader(Self.composition(Self.megabyte / 4, .observed))
    for shelf in 0..<2_000 { reader.observe(shelf, books: shelf..<shelf + 1) }
    #expect(reader.peak > Self.megabyte / 4, "their records are the app's")
    #expect(reader.store.residentEntities == 0, "and all else has been given up")
    #expect(reader.store.overLimit.map { $0 > 1 } == true)
    reader.store.checkInvariants()
  }

  @Test("B3 A soft limit on memory keeps retained entities, and evicts others")
  func soft() throws {
    var reader = try Reader(Self.composition(Self.megabyte, .observed, limit: .soft))
    reader.observe(1, books: 0..<3_000)
    #expect(reader.store.residentEntities == 3_000)
    #expect(reader.store.overLimit.map { $0 > 3 } == true)
    reader.storm(from: 10_000, count: 5_000)
    #expect(reader.store.residentEntities == 3_001, "what was written last is not the victim")
    reader.store.checkInvariants()
  }

  @Test(
    "B12 Limits in which nothing fits keep nothing, and answer", arguments: [0, 1, 5_000, 60_000])
  func tiny(memory: Int) throws {
    for retention in Retention.allCases {
      var reader = try Reader(Self.composition(memory, retention))
      for shelf in 0..<5 {
        #expect(reader.read(shelf, books: shelf * 10..<shelf * 10 + 10).rows == 10)
      }
      reader.storm(from: 1_000, count: 2_000)
      #expect((reader.store.residentEntities == 0) == (memory < 60_000))
      reader.store.checkInvariants()
    }
  }

  @Test(
    "B2 B10 A limit on memory holds after every commit, under any reads, pushes and observers",
    arguments: ["lru", "fifo", "sieve", "arc", "w-tinylfu", "gdsf"], Retention.allCases)
  func everyCommit(order: String, retention: Retention) throws {
    var random = RandomSource(seed: UInt64(order.utf8.count))
    var composition = Self.composition(400_000, retention, order: order)
    composition.admission = random.chance(0.5) ? "probation" : "always"
    composition.capacity.lowWatermark = 0.8
    var reader = try Reader(composition)
    var observed: [Int] = []
    for _ in 0..<300 {
      let shelf = random.below(120)
      let books = shelf * 40..<shelf * 40 + 1 + random.below(200)
      switch random.below(8) {
      case 0 where observed.count < 20:
        reader.observe(shelf, books: books)
        observed.append(shelf)
      case 1 where !observed.isEmpty:
        reader.store.removeObserver(
          of: Reader.key(observed.remove(at: random.below(observed.count))), at: .zero)
        reader.didCall()
      case 2:
        reader.store.tag(Reader.key(shelf), random.chance(0.5), at: .zero)
        reader.didCall()
      case 3: reader.storm(from: 100_000 + random.below(9_000), count: random.below(1_500))
      case 4:
        let item = reader.book(random.below(5_000), shelf: random.below(120), bytes: 1_500)
        reader.store.receive(EventEnvelope(place: nil, event: .changed(item)), at: .zero)
        reader.didCall()
      default: reader.read(shelf, books: books, bytes: 50 + random.below(2_000))
      }
    }
    #expect(reader.peak <= 400_000)
    #expect(reader.store.overLimit.map { $0 <= 1 } == true)
    reader.store.checkInvariants()
  }

  @Test("B53 A storage is loaded as far as there is space")
  func restored() throws {
    var large = try Reader(Self.composition(20 * Self.megabyte, .cached))
    large.store.persist(at: .zero)
    for shelf in 0..<300 { large.read(shelf, books: shelf * 20..<shelf * 20 + 20) }
    large.store.flush(at: .zero)
    let taken = large.store.takeBatch(wallClock: .zero, at: .zero)
    let batch = try #require(taken)
    var small = try Reader(Self.composition(Self.megabyte, .cached))
    let stored = StoredState<Book, CacheStore<BookSchema>.Mutation>(
      entities: batch.entities, queries: batch.queries, progress: batch.progress)
    let report = small.store.restore(stored, wallClock: .zero, at: .zero)
    small.didCall()
    #expect(small.peak <= Self.megabyte)
    #expect(report.queries + report.queriesLeftOut == 300)
    #expect(report.queries == small.store.cachedQueries)
    #expect(report.queries > 20)
    #expect(small.read(299, books: 0..<0).isHit, "what was read last is there")
    small.store.checkInvariants()
  }
}

/// Its position, and its weight in bytes.
struct Book: Hashable, Sendable {
  /// The position of the items of every shelf.
  static let everyShelf = -2

  var shelf: Int
  var bytes: Int
}

/// Books on shelves; a query lists a shelf by number of book.
struct BookSchema: CacheSchema {
  func plan(for query: QueryKey) -> QueryPlan<Int> {
    let shelf = query.input.reversed().reduce(0) { $0 << 8 | Int($1) }
    return QueryPlan(
      predicate: shelf, scope: QueryScope(kind: 1, id: UniqueID(high: 0, low: UInt64(shelf))),
      limit: nil, resourceTypes: [ResourceType(rawValue: 1)])
  }
  func forEachScope(of payload: Book, key: EntityKey, _ body: (QueryScope) -> Void) {
    guard payload.shelf >= 0 else { return }
    body(QueryScope(kind: 1, id: UniqueID(high: 0, low: UInt64(payload.shelf))))
  }
  func weight(of payload: Book) -> Int { payload.bytes }
  func areEqual(_ lhs: Book, _ rhs: Book) -> Bool { lhs == rhs }
  func belongs(_ payload: Book, key: EntityKey, in predicate: Int) -> MatchResult {
    payload.shelf == predicate || payload.shelf == Book.everyShelf ? .member : .notMember
  }
  func precedes(
    _ lhs: Book, key lhsKey: EntityKey, _ rhs: Book, key rhsKey: EntityKey, in predicate: Int
  ) -> Bool { lhsKey < rhsKey }
  func location(of payload: Book) -> UniqueID? { nil }
}
