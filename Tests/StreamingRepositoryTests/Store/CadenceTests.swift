import CacheModel
import StreamingRepository
import Testing

/// How often a store fetches, in virtual time.
@Suite("The cadence of refreshes", .timeLimit(.minutes(30)))
struct CadenceTests {
  private typealias Store = RepositoryStore<String, String, Int>

  /// Lets all operations in flight finish, and returns the fetches.
  private func settle(_ store: inout Store, at now: Instant) -> [String] {
    var fetched: [String] = []
    for action in store.takeActions() {
      guard case .fetch(let number, let collection, _) = action else { continue }
      fetched.append(collection)
      store.receive(1, bytes: 1, for: number, at: now)
    }
    while store.nextOperation(at: now) != nil { store.finishOperation(.done, at: now) }
    return fetched
  }

  private func at(_ seconds: Int) -> Instant { Instant.zero.advanced(by: .seconds(seconds)) }

  @Test("S4 An interval fetches observed tables, as long as they are observed")
  func interval() throws {
    var options = RepositoryOptions()
    options.interval = .seconds(60)
    var store = try Store(options, account: "ada", collections: ["links", "notes"])
    #expect(store.nextDeadline == nil)
    store.observe("links", at: at(0))
    #expect(settle(&store, at: at(0)) == ["links"])
    #expect(store.nextDeadline == at(60))
    store.advance(to: at(59))
    #expect(settle(&store, at: at(59)) == [])
    store.advance(to: at(60))
    #expect(settle(&store, at: at(60)) == ["links"])
    #expect(store.nextDeadline == at(120))
    store.setOnline(false, at: at(61))
    #expect(store.nextDeadline == nil)
    store.setOnline(true, at: at(61))
    store.endObserving("links")
    #expect(store.nextDeadline == nil)
  }

  @Test("S4 The foreground fetches once in its interval")
  func foreground() throws {
    var options = RepositoryOptions()
    options.foregroundInterval = .seconds(300)
    var store = try Store(options, account: "ada")
    store.observe("links", at: at(0))
    #expect(settle(&store, at: at(0)) == ["links"])
    for (seconds, fetched) in [(10, ["links"]), (309, []), (310, ["links"])] {
      store.enterForeground(at: at(seconds))
      #expect(settle(&store, at: at(seconds)) == fetched)
    }
  }

  @Test("S4 A login and the foreground fetch all collections where the options say so")
  func unobserved() throws {
    var options = RepositoryOptions()
    options.fetchesUnobserved = true
    var store = try Store(options, account: nil, collections: ["links", "notes"])
    store.logIn("ada", by: CallerNumber(1), at: at(0))
    #expect(settle(&store, at: at(0)) == ["links", "notes"])
    store.view("notes", at: at(1))
    #expect(settle(&store, at: at(1)) == [])
    store.enterForeground(at: at(2))
    #expect(settle(&store, at: at(2)) == ["links", "notes"])
  }

  @Test("S4 A fetch before the foreground does not suffice for a view after it")
  func answerFromBefore() throws {
    var store = try Store(RepositoryOptions(), account: "ada")
    store.view("links", at: at(0))
    let before = store.takeActions()
    store.enterForeground(at: at(1))
    store.view("links", at: at(2))
    #expect(settle(&store, at: at(2)) == ["links"])
    #expect(before.count == 1)
  }
}
