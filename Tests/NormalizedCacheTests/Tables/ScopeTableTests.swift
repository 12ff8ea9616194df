import CacheModel
import Testing

@testable import NormalizedCacheCore

@Suite("Queries by scope", .timeLimit(.minutes(30)))
struct ScopeTableTests {
  @Test("agrees with a dictionary of lists, and keeps the order in which queries came")
  func model() {
    var random = RandomSource(seed: 1)
    var table = ScopeTable()
    var model: [Int: [Int32]] = [:]
    // Few distinct words, so that homes collide; the same scopes in two libraries.
    func scope(_ number: Int) -> LibraryScope {
      LibraryScope(
        library: Int16(number % 2),
        scope: QueryScope(
          kind: UInt16(number % 3), id: UniqueID(high: 0, low: UInt64(number / 6) << 60)))
    }
    for _ in 0..<4_000 {
      let (number, query) = (random.below(60), Int32(random.below(20)))
      if let place = model[number]?.firstIndex(of: query) {
        model[number]?.remove(at: place)
        table.remove(query, from: scope(number))
      } else {
        model[number, default: []].append(query)
        table.add(query, to: scope(number))
      }
      let probe = random.below(60)
      #expect(table.queries(in: scope(probe)) == model[probe] ?? [])
    }
    #expect(table.index.count == model.values.count { !$0.isEmpty })
  }
}
