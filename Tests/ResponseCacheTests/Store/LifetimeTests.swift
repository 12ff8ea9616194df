import CacheModel
import ResponseCache
import Testing

@Suite("How long an answer is fresh")
struct LifetimeTests {
  private let arrival = Instant.zero.advanced(by: .seconds(1_566_996_762))

  private func seconds(
    _ fields: [(String, String)], delay: Int = 0, fallback: Duration? = nil
  ) -> Int64? {
    let lifetime = CacheFields(fields.map { HTTPField($0, $1) }).lifetime(
      asked: arrival.advanced(by: .seconds(-delay)), arrival: arrival, fallback: fallback)
    return lifetime.map { ($0.maximumAge - $0.age).components.seconds }
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
    "R7 Age is by Age and the time in flight, or by Date, whichever is larger",
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
    "R1 R2 Nonsense is stale immediately, and the smallest lifetime counts",
    arguments: [
      ("max-age=0", 0), ("max-age=-5", 0), ("max-age", 0), ("max-age=1.5", 0),
      ("max-age=60, max-age=30", 30), ("max-age=\"60\"", 60), ("MAX-AGE=60", 60),
      (" public ,  max-age=60 ,, ", 60), ("max-age=\"36\\00\"", 3_600),
      ("max-age=99999999999999999999999", 1 << 31),
      ("s-maxage=10, max-age=60", 60),
      ("ext=\"a, max-age=5\", max-age=60", 60),
    ] as [(String, Int64)])
  func nonsense(value: String, expected: Int64) {
    #expect(seconds([("Cache-Control", value)]) == expected)
  }

  @Test(
    "R1 Without a max-age, or with no-store, nothing is stored",
    arguments: [
      "", "public", "no-store, max-age=60", "private", "maxage=60", "no-cache",
      // A field that does not follow the grammar may hide a no-store (RFC 9110, section 5.6).
      "max-age=60, ext=\"a\\\"b\", no-store", "max-age=60, ext=\"a, no-store", "max-age=",
      "max-age = 60", "max-age=60; public",
    ])
  func unstorable(value: String) {
    #expect(seconds([("Cache-Control", value)]) == nil)
  }

  @Test("R5 A renewal without a lifetime renews the previous one")
  func renewal() {
    #expect(seconds([], fallback: .seconds(90)) == 90)
    #expect(seconds([("Age", "20")], fallback: .seconds(90)) == 70)
    #expect(seconds([("Cache-Control", "max-age=5")], fallback: .seconds(90)) == 5)
  }

  @Test(
    "R3 Whether an answer may be used without asking is not its age (RFC 9111, 4.1, 5.2.2)",
    arguments: [
      ("Vary", "*", .afterAsking), ("Vary", "Accept, *", .afterAsking),
      ("Vary", "Accept", .always), ("Vary", "\"Accept", .afterAsking),
      ("Cache-Control", "no-cache", .afterAsking),
      ("Cache-Control", "NO-CACHE=\"Set-Cookie\"", .afterAsking),
      ("Cache-Control", "must-revalidate", .whileFresh),
      ("Cache-Control", "no-cache, must-revalidate", .afterAsking),
      ("Cache-Control", "proxy-revalidate, s-maxage=1", .always),
    ] as [(String, String, ResponsePermission)])
  func permission(name: String, value: String, expected: ResponsePermission) {
    let fields = CacheFields([
      HTTPField("Cache-Control", "max-age=60"), HTTPField(name, value),
    ])
    #expect(fields.permission == expected)
    #expect(fields.lifetime(asked: arrival, arrival: arrival)?.maximumAge == .seconds(60))
  }

  @Test(
    "R1 Expires less Date counts like max-age, which precedes it (RFC 9111, 4.2.1, 5.3)",
    arguments: [
      (["Wed, 28 Aug 2019 12:53:42 GMT"], nil, 60),
      (["Wed, 28 Aug 2019 12:53:42 GMT"], "max-age=5", 5),
      (["Wednesday, 28-Aug-19 12:53:42 GMT"], nil, 60), (["Wed Aug 28 12:53:42 2019"], nil, 60),
      (["Wed, 28 Aug 2019 12:51:42 GMT"], nil, 0), (["0"], nil, 0), ([""], nil, 0),
      (["Wed, 28 Aug 2019 12:53:42 UTC"], nil, 0), (["Wed, 28 Aug 19 12:53:42 GMT"], nil, 0),
      (["Wed, 28 Aug 2019 12:53:42 GMT", "Wed, 28 Aug 2019 12:53:42 GMT"], nil, 0),
      (["Fri, 31 Dec 9999 23:59:59 GMT"], nil, 1 << 31),
    ] as [([String], String?, Int64)])
  func expires(lines: [String], cacheControl: String?, expected: Int64) {
    var fields = lines.map { ("Expires", $0) }
    if let cacheControl { fields.append(("Cache-Control", cacheControl)) }
    #expect(seconds(fields) == expected)
  }

  @Test(
    "R15 The kind of a body follows from its content type",
    arguments: [
      ("application/json;charset=UTF-8", .json), ("application/problem+json", .json),
      ("image/jpeg", .jpeg), ("IMAGE/PNG", .png), ("text/html", .binary), (nil, .binary),
    ] as [(String?, ResponseKind)])
  func kinds(type: String?, kind: ResponseKind) {
    #expect(ResponseKind(contentType: type) == kind)
    #expect(ResponseKind(fileExtension: kind.fileExtension) == kind)
  }
}
