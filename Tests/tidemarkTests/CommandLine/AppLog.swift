/// What an app logged of one list, without the server's states.
enum AppLog {
  static let jsonl = """
    {"format":"tidemark-session","version":3,"truth":"observed","name":"one-file","duration":10000000000,\
    "library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","network":{"minimumRoundTrip":10000000,\
    "meanExtra":0},"retention":{"events":100,"age":5000000000},"model":{"types":[{"name":"folder"},\
    {"name":"file","fields":[{"name":"folder","holds":"reference","to":"folder"}]}],"queries":[\
    {"name":"files","lists":["file"],"where":[{"field":"folder","is":"subject"}]}]}}
    {"line":"object","type":"folder","id":"photos"}
    {"line":"object","type":"file","id":"sunset"}
    {"line":"state","object":0,"clock":65536,"device":1,"bytes":942}
    {"line":"state","object":1,"clock":131072,"device":1,"bytes":2157,"fields":{"folder":0}}
    {"line":"query","name":"files","subject":0,"limit":1000}
    {"line":"client","name":"desktop"}
    {"line":"action","client":0,"at":1000000000,"do":"observe","query":0,"result":[1]}
    {"line":"action","client":0,"at":3000000000,"do":"read","query":0,"outcome":"hit","result":[1]}
    {"line":"action","client":0,"at":9000000000,"do":"unobserve","query":0}

    """
}
