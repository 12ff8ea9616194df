import CacheModel
import ResponseCache
import Testing

@Suite("How long an answer is fresh")
struct LifetimeTests {
  private let arrival = Instant.zero.advanced(by: .seconds(1_566_996_762))

  private func seconds(
    _ fields: [(String, String)], delay: Int = 0, fallback: Duration? = nil
  ) -> Int64? {
    let lifetime = CacheFields(fields).lifetime(
      asked: arrival.advanced(by: .seconds(-delay)), arrival: arrival, fallback: fallback)
    return lifetime.map { arrival.duration(to: $0.staleAt(arrival: arrival)).components.seconds }
  }

  @Test("R7 The header of the design's own example is fresh for 297 seconds")
  func example() {
    let fields = [
      ("Date", "Wed, 28 Aug 2019 12:52:42 GMT"), ("Cache-Control", "public, max-age=297"),
      ("Age", "0"),
    ]
    #expect(seconds(fields) == 297)
  }

  @Test(
    "R7 Age counts by Age and the time under way, or by Date, whichever says more",
    arguments: [
      ("17", nil, 0, 283), ("17", nil, 5, 278), ("0", "Wed, 28 Aug 2019 12:52:02 GMT", 0, 260),
      ("50", "Wed, 28 Aug 2019 12:52:02 GMT", 0, 250),
      ("0", "Wed, 28 Aug 2019 12:53:42 GMT", 0, 300),
      ("400", nil, 0, -100), ("-3", nil, 0, 300), ("x", nil, 0, 300),
      ("0", "yesterday", 0, 300), ("0", "Wed, 31 Foo 2019 12:52:02 GMT", 0, 300),
    ] as [(String, String?, Int, Int64)])
  func ages(age: String, date: String?, delay: Int, expected: Int64) {
    var fields = [("cache-control", "max-age=300"), ("AGE", age)]
    if let date { fields.append(("Date", date)) }
    #expect(seconds(fields, delay: delay) == expected)
  }

  @Test(
    "R1 R2 Nonsense is stale at once, and the smallest lifetime counts",
    arguments: [
      ("max-age=0", 0), ("max-age=-5", 0), ("max-age=", 0), ("max-age", 0), ("max-age=1.5", 0),
      ("max-age=60, max-age=30", 30), ("max-age=\"60\"", 60), ("MAX-AGE=60", 60),
      (" public ,  max-age = 60 ", 60), ("max-age=99999999999999999999999", 1 << 31),
      ("no-cache, max-age=60", 0), ("s-maxage=10, max-age=60", 60),
      ("ext=\"a, max-age=5\", max-age=60", 60),
    ] as [(String, Int64)])
  func nonsense(value: String, expected: Int64) {
    #expect(seconds([("Cache-Control", value)]) == expected)
  }

  @Test(
    "R1 Without a max-age, or with no-store, nothing is stored",
    arguments: ["", "public", "no-store, max-age=60", "private", "maxage=60", "no-cache"])
  func unstorable(value: String) {
    #expect(seconds([("Cache-Control", value)]) == nil)
  }

  @Test("R5 What renews a lifetime and says none renews the one before")
  func renewal() {
    #expect(seconds([], fallback: .seconds(90)) == 90)
    #expect(seconds([("Age", "20")], fallback: .seconds(90)) == 70)
    #expect(seconds([("Cache-Control", "max-age=5")], fallback: .seconds(90)) == 5)
  }

  @Test("Vary: * cannot be answered from what is stored")
  func vary() {
    #expect(seconds([("Cache-Control", "max-age=60"), ("Vary", "*")]) == 0)
    #expect(seconds([("Cache-Control", "max-age=60"), ("Vary", "Accept")]) == 60)
  }

  @Test("A clock that is set back makes stale what it would keep fresh for too long")
  func clock() {
    let version = BodyVersion(
      kind: .json, bytes: 1, digest: nil, etag: nil, staleAt: arrival.advanced(by: .seconds(60)),
      lifetime: .seconds(60))
    #expect(!version.isStale(at: arrival))
    #expect(version.isStale(at: arrival.advanced(by: .seconds(60))))
    #expect(version.isStale(at: arrival.advanced(by: .seconds(-1))))
  }

  @Test(
    "R15 The kind of a body is told by the type of its content",
    arguments: [
      ("application/json;charset=UTF-8", .json), ("application/problem+json", .json),
      ("image/jpeg", .jpeg), ("IMAGE/PNG", .png), ("text/html", .binary), (nil, .binary),
    ] as [(String?, ResponseKind)])
  func kinds(type: String?, kind: ResponseKind) {
    #expect(ResponseKind(contentType: type) == kind)
    #expect(ResponseKind(fileExtension: kind.fileExtension) == kind)
  }
}
