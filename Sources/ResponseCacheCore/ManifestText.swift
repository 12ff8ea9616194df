package import CacheFiles
import CacheModel
import Text

extension FileName: ResponseKey {}

/// What is known of entries, as JSON: a manifest of all, or a sidecar of one.
///
/// ```json
/// {"version":1,"entries":[{"name":"9f86…","tags":["issue1"],"read":1567595302365000000,
///  "bodies":[{"kind":"json","bytes":13402,"sha256":"ab12…","etag":"\"0970\"","stale":…,"lifetime":…}]}],
///  "downloads":[{"id":"issue1","url":"https://…","state":"downloaded","entries":31}]}
/// ```
///
/// Times are nanoseconds since 1970, lifetimes nanoseconds. Whatever is not exactly of this form is damaged as a
/// whole: a manifest that is half understood would lose tags in silence.
package enum ManifestText {
  package typealias Key = FileName

  private static let version = 1
  /// The largest manifest that is read: some 200,000 entries.
  package static let maximumBytes = 128 << 20
  /// The longest ETag, in bytes, that is kept.
  package static let maximumTagBytes = 1_024
  private static let maximumURLBytes = 8_192

  /// It does not hold what it should.
  package struct Damage: Error {}

  // MARK: Writing

  package static func bytes(_ manifest: Manifest<Key>) -> [UInt8] {
    var writer = JSONWriter()
    writer.line { writer in
      writer.member("version", version)
      writer.array("entries") { writer in
        for entry in manifest.entries { write(entry, to: &writer) }
      }
      writer.array("downloads") { writer in
        for download in manifest.downloads {
          writer.object { writer in
            writer.member("id", download.id.text)
            writer.member("url", download.url)
            writer.member("state", download.state.rawValue)
            writer.member("entries", download.entries)
          }
        }
      }
    }
    return writer.bytes
  }

  private static func write(_ entry: ManifestEntry<Key>, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", entry.key.description)
      writer.array("tags") { writer in for tag in entry.tags { writer.element(tag.text) } }
      writer.member("read", entry.lastRead.nanoseconds)
      writer.array("bodies") { writer in
        for version in entry.versions {
          writer.object { writer in
            writer.member("kind", version.kind.rawValue)
            writer.member("bytes", version.bytes)
            if let digest = version.digest { writer.member("sha256", digest.hexadecimal) }
            if let etag = version.etag { writer.member("etag", etag) }
            writer.member("stale", version.staleAt.nanoseconds)
            writer.member("lifetime", version.lifetime.wholeNanoseconds)
          }
        }
      }
    }
  }

  // MARK: Reading

  package static func manifest(_ bytes: [UInt8]) throws(Damage) -> Manifest<Key> {
    guard let document = try? JSONParser.parse(bytes[...]) else { throw Damage() }
    let fields = try Fields(document)
    guard try fields.integer("version") == version else { throw Damage() }
    var manifest = Manifest<Key>()
    for value in try fields.array("entries") { manifest.entries.append(try entry(value)) }
    for value in try fields.array("downloads") {
      let fields = try Fields(value)
      let (id, url) = (try fields.text("id"), try fields.text("url"))
      guard let state = DownloadRecord.State(rawValue: try fields.text("state")),
        id.utf8.count <= ResponseOptions.maximumTagBytes, url.utf8.count <= maximumURLBytes
      else { throw Damage() }
      manifest.downloads.append(
        DownloadRecord(
          id: TextKey(id), url: url, state: state,
          entries: Int(try fields.integer("entries", from: 0))))
    }
    return manifest
  }

  private static func entry(_ value: JSONValue) throws(Damage) -> ManifestEntry<Key> {
    let fields = try Fields(value)
    guard let name = FileName(found: try fields.text("name")), name.fileExtension == nil else {
      throw Damage()
    }
    var tags: [TextKey] = []
    for tag in try fields.array("tags") {
      guard case .string(let tag) = tag, tag.utf8.count <= ResponseOptions.maximumTagBytes else {
        throw Damage()
      }
      tags.append(TextKey(tag))
    }
    let bodies = try fields.array("bodies")
    guard tags.count <= ResponseOptions.maximumTags, bodies.count <= 4 else { throw Damage() }
    var versions: [BodyVersion] = []
    for body in bodies { versions.append(try version(body)) }
    return ManifestEntry(
      key: name, tags: tags, lastRead: Instant(nanoseconds: try fields.integer("read")),
      versions: versions)
  }

  private static func version(_ value: JSONValue) throws(Damage) -> BodyVersion {
    let fields = try Fields(value)
    let digest = try fields.optionalText("sha256").map { BodyDigest(hexadecimal: $0) }
    let etag = try fields.optionalText("etag")
    guard let kind = ResponseKind(rawValue: try fields.text("kind")), digest != .some(nil),
      (etag?.utf8.count ?? 0) <= maximumTagBytes
    else { throw Damage() }
    return BodyVersion(
      kind: kind, bytes: Int(try fields.integer("bytes", from: 0)), digest: digest ?? nil,
      etag: etag, staleAt: Instant(nanoseconds: try fields.integer("stale")),
      lifetime: .nanoseconds(try fields.integer("lifetime", from: 0)))
  }

  /// The members of an object.
  private struct Fields {
    private let object: JSONValue

    init(_ value: JSONValue) throws(Damage) {
      guard case .object = value else { throw Damage() }
      object = value
    }

    func text(_ name: String) throws(Damage) -> String {
      guard let text = object[name]?.text else { throw Damage() }
      return text
    }

    func optionalText(_ name: String) throws(Damage) -> String? {
      object[name] == nil ? nil : try text(name)
    }

    func array(_ name: String) throws(Damage) -> [JSONValue] {
      guard let values = object[name]?.elements else { throw Damage() }
      return values
    }

    func integer(_ name: String, from minimum: Int64 = .min) throws(Damage) -> Int64 {
      guard case .number(let isNegative, let magnitude) = object[name],
        let number = isNegative
          ? Int64(exactly: magnitude).map({ -$0 }) : Int64(exactly: magnitude), number >= minimum
      else { throw Damage() }
      return number
    }
  }
}

extension BodyDigest {
  package init(_ bytes: [UInt8]) {
    self.init(
      words: stride(from: 0, to: bytes.count, by: 8).map { start in
        bytes[start..<min(start + 8, bytes.count)].reduce(0) { $0 << 8 | UInt64($1) }
      })
  }

  var hexadecimal: String {
    words.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// `nil`: it is none.
  init?(hexadecimal text: String) {
    guard text.utf8.count == 64, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else {
      return nil
    }
    var words: [UInt64] = []
    var rest = text[...]
    while !rest.isEmpty {
      guard let word = UInt64(rest.prefix(16), radix: 16) else { return nil }
      words.append(word)
      rest = rest.dropFirst(16)
    }
    self.init(words: words)
  }
}
