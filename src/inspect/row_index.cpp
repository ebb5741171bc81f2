#include "inspect/row_index.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <tuple>

#include "base/internal/text.hpp"
#include "inspect/json_text.hpp"

namespace kubexx::inspect {
namespace {

using meta::Object;

std::vector<std::string> words_of(std::string_view filter) {
  std::vector<std::string> words;
  while (true) {
    const auto begin = filter.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    filter.remove_prefix(begin);
    auto word = std::string(filter.substr(0, filter.find_first_of(" \t")));
    filter.remove_prefix(word.size());
    std::ranges::transform(word, word.begin(), lower);
    words.push_back(std::move(word));
  }
}

/// What a filter looks at, in lower case; the newlines keep words from matching across.
void append_text(std::string& text, const Object& object, const std::vector<Column>& columns) {
  const auto begin = static_cast<std::ptrdiff_t>(text.size());
  text += object.namespace_();
  text += '/';
  text += object.name();
  for (const auto& column : columns) {
    text += '\n';
    column.append(object, text);
  }
  for (const auto& [key, value] : object.labels()) {
    text += '\n';
    text += key;
    text += '=';
    text += value.string();
  }
  std::transform(text.begin() + begin, text.end(), text.begin() + begin, lower);
}

double number_in(const std::string& text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

RowWindow RowIndex::find(const store::Snapshot& snapshot, const RowQuery& query, TimePoint now) {
  const std::lock_guard lock(mutex_);
  used_ = now;
  refresh(snapshot);
  answer(query);
  RowWindow window;
  window.version = snapshot_.version();
  window.total = rows_.size();
  window.matched = found_.size();
  window.offset = std::min(query.offset, found_.size());
  const auto wanted = std::min(query.limit, found_.size() - window.offset);
  for (std::size_t i = window.offset; i < window.offset + wanted; ++i) {
    window.objects.push_back(*found_[query.descending ? found_.size() - 1 - i : i]->object);
  }
  return window;
}

void RowIndex::forget_unused(TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (!filled_ || now - used_ < kIdle) return;
  snapshot_ = {};
  pages_.clear();
  rows_ = {};
  found_ = {};
  filled_ = answered_ = false;
}

/// A page that a snapshot holds never changes: the store writes to a copy. So what stands at the same place in the old
/// and the new snapshot is the same.
void RowIndex::refresh(const store::Snapshot& snapshot) {
  if (filled_ && snapshot_.version() == snapshot.version()) return;
  decltype(pages_) pages;
  Rows fresh;
  for (std::size_t i = 0; i < snapshot.page_count(); ++i) {
    const auto objects = snapshot.page(i);
    if (objects.empty()) continue;
    const auto known = pages_.find(objects.data());
    if (known != pages_.end() && known->second->size == objects.size()) {
      pages.emplace(objects.data(), std::move(known->second));
      pages_.erase(known);
    } else {
      pages.emplace(objects.data(), read_page(objects, fresh));
    }
  }
  for (const auto& [place, page] : pages_) page->live = false;
  std::erase_if(rows_, [](const Row& row) { return !row.page->live; });
  std::ranges::sort(fresh, by_key);
  Rows merged;
  merged.reserve(rows_.size() + fresh.size());
  std::ranges::merge(rows_, fresh, std::back_inserter(merged), by_key);
  rows_ = std::move(merged);
  pages_ = std::move(pages);
  snapshot_ = snapshot;
  filled_ = true;
  answered_ = false;
}

std::unique_ptr<RowIndex::Page> RowIndex::read_page(std::span<const Object> objects, Rows& into) const {
  auto page = std::make_unique<Page>();
  page->size = objects.size();
  for (const Object& object : objects) {
    const auto begin = static_cast<std::uint32_t>(page->text.size());
    append_text(page->text, object, columns_);
    into.push_back({&object, object.namespace_(), object.name(), page.get(), begin,
                    static_cast<std::uint32_t>(page->text.size() - begin)});
  }
  return page;
}

bool RowIndex::by_key(const Row& a, const Row& b) {
  return std::tie(a.namespace_, a.name) < std::tie(b.namespace_, b.name);
}

/// The same question about the same state, at another place, is answered already.
void RowIndex::answer(const RowQuery& query) {
  if (answered_ && asked_.filter == query.filter && asked_.sort == query.sort) return;
  asked_ = query;
  answered_ = true;
  const auto words = words_of(query.filter);
  found_.clear();
  for (const Row& row : rows_) {
    const auto text = row.text();
    if (std::ranges::all_of(words, [&](const auto& word) { return text.find(word) != std::string_view::npos; })) {
      found_.push_back(&row);
    }
  }
  order(query);
}

/// By the column, and where that is equal by key, as they are.
void RowIndex::order(const RowQuery& query) {
  if (query.sort == "Name") {
    std::ranges::stable_sort(found_, {}, [](const Row* row) { return row->name; });
    return;
  }
  const auto column = std::ranges::find(columns_, query.sort, &Column::name);
  const bool age = query.sort == "Age";
  if (column == columns_.end() && !age) return;
  const bool numbers = !age && column->number;
  struct Keyed {
    const Row* row;
    std::string text;
    double number;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(found_.size());
  for (const Row* row : found_) {
    auto& entry = keyed.emplace_back(Keyed{row, {}, 0});
    if (age) {
      entry.text = row->object->creation_timestamp();
    } else {
      column->append(*row->object, entry.text);
    }
    if (numbers) entry.number = number_in(entry.text);
  }
  if (numbers) {
    std::ranges::stable_sort(keyed, {}, &Keyed::number);
  } else if (age) {  // the youngest was made last
    std::ranges::stable_sort(keyed, std::ranges::greater(), &Keyed::text);
  } else {
    std::ranges::stable_sort(keyed, {}, &Keyed::text);
  }
  std::ranges::transform(keyed, found_.begin(), &Keyed::row);
}

std::string to_json(const RowWindow& window, const std::vector<Column>& columns) {
  JsonText text;
  std::string cell;
  text.object([&] {
    text.field("version", window.version);
    text.field("total", window.total);
    text.field("matched", window.matched);
    text.field("offset", window.offset);
    text.list("columns", [&] {
      for (const auto& column : columns) text.value(column.name);
    });
    text.list("rows", [&] {
      for (const auto& object : window.objects) {
        text.object([&] {
          text.field("ns", object.namespace_());
          text.field("name", object.name());
          text.field("rv", object.resource_version());
          text.field("created", object.creation_timestamp());
          if (!object.deletion_timestamp().empty()) text.field("deleting", true);
          text.list("cells", [&] {
            for (const auto& column : columns) {
              cell.clear();
              column.append(object, cell);
              text.value(std::string_view(cell));
            }
          });
        });
      }
    });
  });
  return text.take();
}

}  // namespace kubexx::inspect
