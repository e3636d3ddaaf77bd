// The site's search, with and without a server. A page on a disk may load scripts but may not make requests, so the
// index is a script. It is loaded when the reader enters the field. A result has all words of the question. If there is
// none, a result has one of the words, or a word that begins like one of them: the reader may still be typing.
(function () {
  const most_results = 20, excerpt_length = 240;
  let sections = new Map(), index = null, loading = null;

  function load(name) {
    return new Promise(function (done, failed) {
      const script = document.createElement("script");
      script.src = base_url + "/search/" + name;
      script.onload = done;
      script.onerror = failed;
      document.head.appendChild(script);
    });
  }

  async function load_index() {
    await load("lunr.js");
    await load("search_index.js");
    const docs = window.mana_search_index.docs;
    index = lunr(function () {
      this.ref("location");
      this.field("title", {boost: 5});
      this.field("text");
      for (const section of docs) {
        this.add(section);
        sections.set(section.location, section);
      }
    });
  }

  function found(question) {
    const words = question.toLowerCase().split(/\W+/).filter((word) => word && lunr.stopWordFilter(word));
    function ask(rules) {
      return index.query(function (query) {
        for (const word of words) {
          query.term(word, rules);
        }
      });
    }
    const results = ask({presence: lunr.Query.presence.REQUIRED});
    return results.length ? results : ask({wildcard: lunr.Query.wildcard.TRAILING});
  }

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function show(results) {
    const list = document.getElementById("mkdocs-search-results");
    list.replaceChildren();
    for (const result of results.slice(0, most_results)) {
      const section = sections.get(result.ref), page = sections.get(result.ref.split("#")[0]);
      const entry = document.createElement("article"), heading = document.createElement("h3");
      const link = element("a", page === section ? page.title : page.title + ": " + section.title);
      link.href = base_url + "/" + section.location;
      heading.appendChild(link);
      entry.append(heading, element("p", section.text.substring(0, excerpt_length)));
      list.appendChild(entry);
    }
    if (!results.length) {
      list.appendChild(element("p", list.dataset.noResultsText || "No results found"));
    }
  }

  async function search() {
    const question = document.getElementById("mkdocs-search-query").value.trim();
    loading = loading || load_index();
    await loading;
    show(question ? found(question) : []);
  }

  const field = document.getElementById("mkdocs-search-query");
  const asked = new URLSearchParams(window.location.search).get("q");
  if (field) {
    field.addEventListener("focus", function () { loading = loading || load_index(); });
    field.addEventListener("input", search);
  }
  if (field && asked) {
    field.value = asked;
    search();
  }
})();
