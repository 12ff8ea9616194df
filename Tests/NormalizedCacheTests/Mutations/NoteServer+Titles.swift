import FaultSearch

extension NoteServer {
  /// Notes 1, 2, 3 … in folder 0, starred, with the letters of a text as titles.
  static func titled(_ titles: String) -> NoteServer {
    var server = NoteServer()
    for (index, title) in titles.enumerated() {
      server.write((index + 1, Note(folder: 0, title: "\(title)", isStarred: true)))
    }
    return server
  }
}
