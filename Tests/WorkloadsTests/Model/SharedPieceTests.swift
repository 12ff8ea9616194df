import CacheModel
import Testing

@testable import Workloads

/// What a cache's schema and the simulated server both read a catalog and a model with: a mistake here
/// would make them wrong alike.
@Suite("Code shared by both interpreters of a model")
struct SharedPieceTests {
  @Test("References are a range of labels, packed in a word")
  func references() {
    let range = LabelRange(start: 7, count: 3)
    #expect(LabelRange(word: range.word) == range)
    #expect(Array(range.indices) == [7, 8, 9])
    #expect(LabelRange(start: .max, count: 0).indices.isEmpty)
  }

  @Test("Words order as numbers do, negative ones too")
  func words() {
    let numbers: [Int64] = [.min, -2, -1, 0, 1, 2, .max]
    let words = numbers.map { OrderedWord.of($0) }
    #expect(words == words.sorted())
    #expect(words.map { OrderedWord.number($0) } == numbers)
  }

  @Test("A search lists the names that begin with its letters, and no other")
  func searches() throws {
    let names = ["a", "ab", "aba", "abz", "ac", "b"]
    let codes = try names.map { try #require(LetterCode.encode($0)) }
    func found(_ typed: String) throws -> [String] {
      let query = QuerySpec(
        kind: DataModel.kind(ofShape: 0), subject: try #require(LetterCode.encode(typed)),
        prefixLength: UInt8(typed.utf8.count), limit: 9)
      let range = LetterCode.range(ofPrefix: query.subject, letters: typed.utf8.count)
      #expect(range == query.nameRange)
      return zip(names, codes).filter { query.nameRange.contains($1) }.map(\.0)
    }
    #expect(try found("ab") == ["ab", "aba", "abz"])
    #expect(try found("a") == ["a", "ab", "aba", "abz", "ac"])
    #expect(try found("abz") == ["abz"])
  }

  @Test("A summary has its share of the whole, rounded, at least a byte and at most the whole")
  func summaries() {
    func bytes(_ size: EntitySummary.Size, _ whole: Int) -> Int {
      EntitySummary(fields: [], size: size).bytes(ofWhole: whole)
    }
    #expect(bytes(.share(millionths: 250_000), 10) == 3)
    #expect(bytes(.share(millionths: 250_000), 9) == 2)
    #expect(bytes(.share(millionths: 1), 10) == 1)
    #expect(bytes(.fixed(80), 100) == 80)
    #expect(bytes(.fixed(80), 50) == 50)
  }

  @Test("A search is kept from its letters on; a query about the user names its subject itself")
  func shapes() {
    let field = ModelField(name: "name", content: .text, slot: 0)
    var search = QueryShape(
      name: "search", types: [0], conditions: [.beginsWithTyped(.init(field))], order: [], rows: 9,
      reportClass: "search")
    search.cachedFrom = 3
    let own = ModelField(name: "of", content: .one(type: 0, .uniform, cascades: false), slot: 1)
    var mine = QueryShape(
      name: "mine", types: [0], conditions: [.isSubject(.init(own))], order: [], rows: 9,
      reportClass: "mine")
    #expect(mine.subjectReference == .init(own))
    mine.isAboutMe = true
    #expect(mine.subjectReference == nil)
    let model = DataModel(types: [], shapes: [search, mine])
    #expect(DataModel.resourceType(ofType: 0).rawValue == 1)
    let kept = (1...4).map { letters in
      model.isCacheable(
        QuerySpec(kind: DataModel.kind(ofShape: 0), subject: 0, prefixLength: letters, limit: 9))
    }
    #expect(kept == [false, false, true, true])
    #expect(model.isCacheable(QuerySpec(kind: DataModel.kind(ofShape: 1), subject: 0, limit: 9)))
  }
}
