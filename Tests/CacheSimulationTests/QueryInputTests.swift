import CacheModel
import CacheSimulation
import Testing
import Workloads

@Test("A query's key leads back to the query", arguments: QueryKind.allCases)
func keysLeadBack(kind: QueryKind) {
  let spec = QuerySpec(
    kind: kind, subject: 0x0123_4567_89ab_cdef, prefixLength: 7, limit: 0x0102_0304)
  let library = LibraryID(rawValue: UniqueID(high: 1, low: 2))
  let key = QueryKey(
    library: library, method: kind.method, input: QueryInput.encode(spec))
  #expect(QueryInput.decode(key) == spec)
}
