import CacheFiles
import Foundation

extension CachedResponse {
  /// Where a redirect leads; `nil`: it is none.
  var redirectTarget: URL? {
    guard [301, 302, 303, 307, 308].contains(status),
      let location = fields.values(of: "location").first
    else { return nil }
    return URL(string: location, relativeTo: url)?.absoluteURL
  }
}

extension ResponseCache {
  /// The fields for where a redirect leads: what proves who asks is for the server that it was meant for.
  static func fields(_ fields: [HTTPField], from url: URL, to target: URL) -> [HTTPField] {
    guard !isSameServer(url, target) else { return fields }
    return fields.filter {
      !["authorization", "cookie", "proxy-authorization"].contains($0.name.lowercased())
    }
  }

  /// Whether scheme, host and port are the same.
  static func isSameServer(_ one: URL, _ other: URL) -> Bool {
    func parts(_ url: URL) -> (String?, String?, Int) {
      let scheme = url.scheme?.lowercased()
      return (scheme, url.host?.lowercased(), url.port ?? (scheme == "https" ? 443 : 80))
    }
    return parts(one) == parts(other)
  }

  /// Conditions and ranges are the cache's own to send.
  static func check(_ fields: [HTTPField]) throws(ResponseError) {
    for field in fields {
      var name = FieldReader(field.name)
      guard name.token() != nil, name.isAtEnd,
        field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
        ![
          "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
          "if-range",
        ]
        .contains(field.name.lowercased())
      else { throw ResponseError(.invalidField(field.name)) }
    }
  }
}
