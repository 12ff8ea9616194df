import CacheModel
import NormalizedCache
import Testing
import Workloads

@testable import CacheSimulation

@Suite("What an app's cache found of states and lists")
struct PlacedListTests {
  private static func log(files: Int, limit: UInt32 = 10) -> TinyLog {
    var log = TinyLog(files: files)
    log.tiny.queries[0].limit = limit
    log.places = []
    return log
  }

  @Test("A state that no result shows stands where it was told, or nowhere")
  func told() {
    var log = Self.log(files: 4)
    let (a, b) = (log.initial(1), log.initial(2))
    log.read([a, b], at: 1)
    let between = log.change(3, at: 2)
    log.place(between, after: 1, before: 2, at: 2.1)
    let out = log.change(4, at: 3)
    let gone = log.change(1, at: 4)
    log.place(gone, is: .notListed, at: 4.1)
    let back = log.change(1, at: 5)
    #expect(log.listed == [a, between, b].map(\.revision))
    for state in [out, gone, back] { #expect(log.belonging(of: state) == .notMember) }
  }

  @Test("A state of which nothing is told stands where its object stood, as long as that is shown")
  func carriedOver() {
    var log = Self.log(files: 4, limit: 2)
    let (a, b) = (log.initial(1), log.initial(2))
    log.read([a, b], at: 1)
    let edited = log.change(2, at: 2)
    let new = log.change(3, at: 3)
    log.place(new, before: 1, at: 3.1)
    // The second row has fallen out of the window, and what is behind it is told.
    let unseen = log.change(2, at: 4)
    let behind = log.change(4, at: 5)
    log.place(behind, after: 1, at: 5.1)
    let behindAgain = log.change(4, at: 6)
    #expect(log.isOnePlace(b, edited))
    for state in [unseen, behindAgain] { #expect(log.belonging(of: state) == .notMember) }
    #expect(log.belonging(of: behind) == .member)
    #expect(Array(log.listed.prefix(2)) == [new, a].map(\.revision))
  }

  @Test("What the app could not tell, its cache in the simulation cannot tell")
  func unknown() {
    var log = Self.log(files: 2)
    log.read([log.initial(1)], at: 1)
    let doubtful = log.change(2, at: 2)
    log.place(doubtful, is: .unknown, at: 2.1)
    #expect(log.belonging(of: doubtful) == .unknown)
  }

  @Test("What comes to be known later decides between states that were told of earlier")
  func repaired() {
    var log = Self.log(files: 4)
    let (a, b) = (log.initial(1), log.initial(2))
    log.read([a, b], at: 1)
    let new = log.change(3, at: 2)
    // A row lacks its value, so only one neighbour is known.
    log.place(new, after: 1, at: 2.1)
    log.read([a, b, new], at: 3)
    #expect(log.listed == [a, b, new].map(\.revision))
    log.read([b, a, new], at: 4)
    #expect(log.listed.count == 3, "a contradiction ends somewhere")
  }
}
