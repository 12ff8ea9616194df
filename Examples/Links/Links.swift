import Foundation
import GRDB
import StreamingRepository

/// A link shortener's app: whole collections in one file, which its views observe.
///
/// Usage: `Links [FILE]`. Run again on the same file, the links are there before the server has answered.
@main
struct Links {
  static func main() async throws {
    let path =
      CommandLine.arguments.dropFirst().first
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("links.sqlite").path
    let server = LinkServer()
    let repository = try await StreamingRepository.open(
      path: path, sources: [LinkSource(server: server), PageSource(server: server)],
      onFailure: { print("failed: \($0.error)") })
    print("logged in before: \(await repository.account ?? "nobody")")
    try await show("stored", repository)

    try await repository.logIn("ada")
    // A view, which is notified of every change of its rows.
    let view = Task {
      for try await links in repository.updates(
        of: Link.self, { $0.order(Link.Columns.clicks.desc) })
      {
        print("view: \(links.map { "\($0.id) \($0.clicks)" }.joined(separator: ", "))")
      }
    }

    await server.click("docs")
    try await repository.refresh(Link.self)
    try await repository.refresh(Page.self)
    try await show("after a pull", repository)

    // Shown at once; the server takes one, and refuses the other, which goes again.
    for link in [
      Link(id: "blog", target: "https://example.com/blog"), Link(id: "shop", target: ""),
    ] {
      do {
        try await repository.change(Link.self, showing: [.put(link)]) { _ in
          try await server.create(link)
        }
      } catch {
        print("not created: \(error)")
      }
    }
    try await repository.refresh(Link.self)

    await repository.setOnline(false)
    do {
      try await repository.change(Link.self, showing: [.remove("docs")]) { _ in
        await server.delete("docs")
      }
    } catch {
      print("not deleted: \(error)")
    }
    try await show("without a network", repository)
    await repository.setOnline(true)

    view.cancel()
    let statistics = await repository.statistics
    print(
      """
      requests: \(statistics.requests), answers written: \(statistics.written)
      rows inserted: \(statistics.rows.inserted), updated: \(statistics.rows.updated), as they were: \
      \(statistics.rows.unchanged)
      """)
  }

  private static func show(_ when: String, _ repository: StreamingRepository) async throws {
    let links = try await repository.rows(of: Link.self) { $0.order(Link.Columns.clicks.desc) }
    print("\(when): \(links.map(\.id).joined(separator: ", "))")
  }
}
