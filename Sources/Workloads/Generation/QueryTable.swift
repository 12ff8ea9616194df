/// The queries of a run, numbered in the order in which they are first asked.
struct QueryTable {
  private(set) var queries: [QuerySpec] = []
  private var numbers: [QuerySpec: UInt32] = [:]

  mutating func number(of query: QuerySpec) -> UInt32 {
    if let number = numbers[query] { return number }
    let number = UInt32(queries.count)
    queries.append(query)
    numbers[query] = number
    return number
  }
}
