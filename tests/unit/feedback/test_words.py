from ingrained.feedback.words import own_words, sentences


def own(text: str) -> str:
    return "\n".join(span.text.strip() for span in own_words(text))


def test_fenced_code_is_not_the_persons_words() -> None:
    assert own("use this instead:\n```py\nnever = True\n```\nand add a test") == "use this instead:\nand add a test"


def test_logs_diffs_quotes_and_traces_are_left_out() -> None:
    text = (
        "this still fails:\n"
        "2026-02-12T10:28:41+01:00 [review] never started\n"
        "Traceback (most recent call last):\n"
        '  File "x.py", line 3, in <module>\n'
        "> always quote this\n"
        "+       entireSessionID, err = strategy.GetOrCreate(id)\n"
        "don't swallow the error"
    )
    assert own(text) == "this still fails:\ndon't swallow the error"


def test_a_pasted_review_without_a_word_to_the_agent_is_no_own_words() -> None:
    review = (
        "The timestamp uses the local timezone. For consistency with other timestamps in the codebase, consider using "
        "UTC instead. This could lead to confusion when the function is called from another zone (lines 343-364)."
    )
    assert own(review) == ""
    assert own(review + "\n\ncan you check if that is even true?") == "can you check if that is even true?"


def test_an_indented_note_in_own_words_stays() -> None:
    assert own("- drop the dash before each commit\n- and keep the quotes") != ""


def test_sentences_keep_abbreviations_and_file_names_whole() -> None:
    (span,) = own_words("Use the wrapper in lib/retry.py, e.g. for webhooks. Then log it.")
    assert [s.text for s in sentences(span)] == ["Use the wrapper in lib/retry.py, e.g. for webhooks.", "Then log it."]


def test_line_separators_inside_a_sentence_do_not_cut_it() -> None:
    (span,) = own_words("Release notes here are: one line per change,\u2028present tense,\x85no adjectives.")
    assert len(sentences(span)) == 1
