import Text

/// The relevant content of one entry of a HAR file: neither cookies nor headers are read.
///
/// It supports the output of Chrome, Firefox, Safari, Playwright, Charles, Proxyman, mitmproxy and Fiddler:
/// numbers may be strings, and missing data is unknown.
struct HAREntry {
  /// The index in `log.entries`, from 1.
  var number: Int
  /// The start, in nanoseconds since 1970.
  var start: Int64
  /// The end of the answer; the start without one.
  var end: Int64
  var page: String?
  var method: String
  var address: RequestAddress
  var requestBody: RequestBody
  var status: Int
  var redirect: String?
  /// The MIME type in lower case, without parameters; empty if it is unknown.
  var mimeType: String
  /// Chrome's type of resource, in lower case.
  var resourceType: String
  var body: Body
  /// The size of the answer's body before compression.
  var bytes: Int
  /// Whether the answer is from the browser's cache or a service worker.
  var isFromCache: Bool
  /// Whether the server pushed it.
  var isPushed: Bool
  var messages: [SocketMessage]

  struct RequestBody {
    /// The text; `nil` if there is none, or it was not recorded.
    var text: String?
    var parameters: [RequestAddress.Parameter] = []
    var mimeType = ""
    /// Whether the request had a body that is missing.
    var isMissing = false
  }

  enum Body {
    case text([UInt8])
    case none
    case missing
    /// The body exceeds the limit.
    case tooLarge
  }

  /// Whether the server accepted the request.
  var isSuccess: Bool { status == 101 || (200..<400).contains(status) }

  static let bounds = JSONParser.Bounds.lenient(depth: 64, values: 2_000_000)

  /// Parses an entry.
  ///
  /// - Returns: `nil` if it is not an HTTP request.
  /// - Throws: ``HARImportError`` if it is invalid, or has no time.
  static func read(
    _ bytes: [UInt8], number: Int, isCut: Bool
  ) throws(HARImportError) -> HAREntry? {
    let json: JSONValue
    do throws(JSONParser.Failure) {
      json = try JSONParser.parse(bytes[...], within: bounds)
    } catch {
      throw HARImportError(entry: number, error.cause, "export the file again")
    }
    guard let request = json["request"], let url = request["url"]?.text else {
      throw HARImportError(entry: number, "`request.url` is missing", "export the file again")
    }
    guard let address = RequestAddress(url) else { return nil }
    guard let text = json["startedDateTime"]?.text, let start = WallTime.nanoseconds(text) else {
      throw HARImportError(
        entry: number, "`startedDateTime` is missing, or no date of ISO 8601",
        "export the file again, or remove the entry")
    }
    let response = json["response"] ?? .null
    let status = response["status"]?.lenientInteger ?? 0
    let content = response["content"] ?? .null
    let time = json["time"]?.lenientNumber
    // A stream that was open at the end has no time, and neither has an unanswered request.
    let mimeType = mimeType(content["mimeType"]?.text)
    let resourceType = json["_resourceType"]?.text?.lowercased() ?? ""
    let messages = SocketMessage.all(in: json)
    let mayLackTime =
      status <= 0 || status == 101 || !messages.isEmpty || mimeType == "text/event-stream"
      || resourceType == "websocket" || resourceType == "eventsource"
    guard let time = time ?? (mayLackTime ? 0 : nil), time >= 0 || mayLackTime, time < 1e9 else {
      throw HARImportError(
        entry: number, "`time` is missing, negative or too large",
        "export the file again, or remove the entry")
    }
    let transferred = response["_transferSize"]?.lenientInteger
    let isFromCache =
      json["_fromCache"]?.text != nil || response["_fromCache"]?.text != nil
      || json["_fromCache"]?.isYes == true
      || response["_fetchedViaServiceWorker"]?.isYes == true
      || json["_fetchedViaServiceWorker"]?.isYes == true
      || (transferred == 0 && (status == 200 || status == 203))
      || isCachedBySafariOrFirefox(json, response)
    let redirect = response["redirectURL"]?.text ?? ""
    var entry = HAREntry(
      number: number, start: start, end: start + Int64(max(0, time) * 1_000_000),
      page: json["pageref"]?.text, method: (request["method"]?.text ?? "GET").uppercased(),
      address: address, requestBody: requestBody(request), status: status,
      redirect: (300..<400).contains(status) && status != 304 && !redirect.isEmpty
        ? redirect : nil,
      mimeType: mimeType, resourceType: resourceType, body: .none, bytes: 0,
      isFromCache: isFromCache, isPushed: json["_was_pushed"]?.isYes ?? false, messages: messages)
    entry.readBody(content, response, isCut: isCut)
    return entry
  }

  /// Returns whether the answer is from a cache, as Safari and Firefox say it.
  ///
  /// Source: WebKit's `HARBuilder.fetchType`; Firefox's `har-builder`, `buildCache`, which writes the state after
  /// the request, often null, only for what it had. By HAR 1.2, other answers may have it too.
  private static func isCachedBySafariOrFirefox(_ json: JSONValue, _ response: JSONValue) -> Bool {
    if let type = json["_fetchType"]?.text { return type != "Network Load" }
    guard let cache = json["cache"], cache["afterRequest"] != nil, cache["beforeRequest"] == nil
    else { return false }
    return response["bodySize"]?.lenientInteger ?? 0 <= 0
  }

  private mutating func readBody(_ content: JSONValue, _ response: JSONValue, isCut: Bool) {
    let size = content["size"]?.lenientInteger ?? response["bodySize"]?.lenientInteger ?? -1
    let isEmpty = [101, 204, 205, 304].contains(status) || method == "HEAD" || size == 0
    bytes = max(0, size)
    guard let text = content["text"]?.text, !(text.isEmpty && size > 0) else {
      if isCut, content["text"] != nil {
        body = .tooLarge
      } else {
        body = isEmpty || redirect != nil || !isSuccess ? .none : .missing
      }
      return
    }
    if text.isEmpty { return }
    if content["encoding"]?.text?.lowercased() == "base64" {
      body = Base64.decode(text).map { .text($0) } ?? .missing
    } else {
      body = .text(Array(text.utf8))
    }
    if size <= 0, case .text(let decoded) = body { bytes = decoded.count }
  }

  private static func requestBody(_ request: JSONValue) -> RequestBody {
    let size = request["bodySize"]?.lenientInteger
    guard let data = request["postData"], case .object = data else {
      return RequestBody(isMissing: size != 0)
    }
    var body = RequestBody(text: data["text"]?.text, mimeType: mimeType(data["mimeType"]?.text))
    if body.text?.isEmpty == true { body.text = nil }
    for parameter in (data["params"]?.elements ?? []).prefix(1_000) {
      guard let name = parameter["name"]?.text, let value = parameter["value"]?.text else {
        continue
      }
      body.parameters.append(.init(name: name, value: value))
    }
    if body.parameters.isEmpty, body.mimeType == "application/x-www-form-urlencoded",
      let text = body.text
    {
      body.parameters = RequestAddress.parameters(in: text)
    }
    body.isMissing = body.text == nil && body.parameters.isEmpty && size != 0
    return body
  }

  private static func mimeType(_ text: String?) -> String {
    String((text ?? "").prefix { $0 != ";" }).lowercased().filter { $0 != " " }
  }
}

extension HAREntry {
  /// The reason why an entry is not the app's request for data.
  enum Exclusion: String, CaseIterable {
    case documents = "pages and frames"
    case code = "scripts and styles"
    case media = "images, fonts and media"
    case beacons = "beacons"
    case preflights = "CORS preflights"
    case pushes = "HTTP/2 pushes"
    case other = "answers that are not JSON"
    case sockets = "sockets without entities"
    case foreign = "addresses that are not of the web"
    case unreadable = "requests whose body was not recorded"
    case hosts = "other hosts"
  }

  /// Whether it was sent by `navigator.sendBeacon`, as far as it can be inferred without a type of resource:
  /// the answer to a beacon is ignored.
  ///
  /// Source: W3C Beacon, which sends texts as `text/plain` and forms with their own types.
  var isBeacon: Bool {
    guard method == "POST", isSuccess else { return false }
    switch requestBody.mimeType {
    case "text/plain": return true
    case "application/x-www-form-urlencoded", "multipart/form-data":
      return (resourceType.isEmpty || resourceType == "other")
        && ["beacon", "collect", "ping", "rum", "telemetry"].contains(
          address.path.last?.lowercased() ?? "")
    default: return false
    }
  }

  /// Reports by the browser, and pings of links.
  private static let reports: Set = [
    "text/ping", "application/csp-report", "application/reports+json",
    "application/expect-ct-report+json",
  ]

  /// Whether the answer is an image, a font, a video or audio.
  var isImage: Bool { resourceType == "image" || mimeType.hasPrefix("image/") }

  /// Whether the answer may be JSON, by its metadata.
  var isJSON: Bool { mimeType == "application/json" || mimeType.hasSuffix("json") }

  /// Whether a script asked for the answer, by the type of resource, or else by a body that may be JSON.
  private var isOfScript: Bool {
    if ["xhr", "fetch"].contains(resourceType) { return true }
    guard resourceType.isEmpty, case .text(let text) = body else { return false }
    return [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(text.first { $0 > 0x20 })
  }

  /// The reason for excluding the entry by its kind; `nil` if it may be a request for data.
  var exclusion: Exclusion? {
    if method == "OPTIONS" || resourceType == "preflight" { return .preflights }
    if isPushed { return .pushes }
    if Self.reports.contains(requestBody.mimeType) { return .beacons }
    if isJSON { return nil }
    switch resourceType {
    case "document", "subdocument", "manifest": return .documents
    case "script", "stylesheet": return .code
    case "image", "imageset", "font", "media", "texttrack": return .media
    case "ping", "beacon", "cspviolationreport", "csp_report": return .beacons
    default: break
    }
    switch mimeType {
    // Some servers send JSON so.
    case "text/html" where isOfScript: return nil
    case "text/html", "application/xhtml+xml":
      return isSuccess && redirect == nil ? .documents : nil
    case "text/css", "application/wasm": return .code
    case "application/x-font-ttf", "application/font-woff", "application/font-woff2",
      "application/vnd.ms-fontobject", "application/dash+xml", "application/vnd.apple.mpegurl":
      return .media
    default: break
    }
    if mimeType.hasSuffix("javascript") || mimeType.hasSuffix("ecmascript") { return .code }
    let family = mimeType.prefix { $0 != "/" }
    return ["image", "font", "audio", "video"].contains(family) ? .media : nil
  }
}
