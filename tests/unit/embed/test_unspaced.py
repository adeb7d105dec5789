"""Chinese and Japanese: the same rule in other words is found although no blank separates them; near misses stay apart."""

from collections.abc import Sequence

import pytest
from tests.unit.feedback.test_recur import BACKGROUND, atoms

from ingrained.embed.lexical import Weights, signed_terms
from ingrained.embed.unspaced import spaced
from ingrained.feedback.recur import Groups, group

SAME = [
    ("用pnpm不要用npm", "不要npm，用pnpm"),
    ("main分支不要直接提交", "不要直接提交到main分支"),
    ("新功能必须带测试", "新功能都要加测试"),
    ("絵文字を使わないで", "絵文字は不要です"),
    ("変数名は英語にして", "変数名は必ず英語で"),
    ("总是使用中文回复", "以后都用中文回答我"),
    ("请不要在主分支上提交", "不要直接提交到主分支"),
    ("提交前请先运行测试", "每次提交之前都要跑一遍测试"),
    ("不要修改自动生成的文件", "自动生成的文件别改"),
    ("用pnpm，不要用npm", "请使用pnpm而不是npm"),
    ("提交信息必须用英文写", "提交信息请用英文"),
    ("代码里不要写注释", "不要在代码里加注释"),
    ("添加依赖之前先问我", "先问我再添加依赖"),
    ("禁止使用全局变量", "不准用全局变量"),
    ("回答请尽量简短", "简短回答就好"),
    ("日志里不要打印用户密码", "不要把用户密码打印到日志"),
    ("數據庫遷移必須可以回滾", "每個數據庫遷移都要能回滾"),
    ("コミット前に必ずテストを実行して", "必ずコミットの前にテストを実行してください"),
    ("mainブランチに直接コミットしないでください", "mainブランチへの直接コミットは禁止です"),
    ("日本語で回答してください", "回答は必ず日本語でお願いします"),
    ("コメントは英語で書いて", "コードのコメントは英語で書いてください"),
    ("npmではなくpnpmを使ってください", "pnpmを使って、npmは使わないで"),
    ("生成されたファイルを編集しないで", "生成されたファイルは編集してはいけません"),
    ("依存関係を追加する前に確認してください", "依存関係の追加前に必ず確認して"),
]
APART = [
    ("提交前运行测试", "提交前运行构建"),
    ("回答要简短", "提交信息要简短"),
    ("接口文档用中文写", "接口测试用中文写"),
    ("代码里不要写注释", "代码里不要写密码"),
    ("毎回テストを実行して", "毎回リンターを実行して"),
    ("mainブランチにコミットしないで", "mainブランチをリベースしないで"),
    ("不要修改测试文件", "不要修改配置文件"),
    ("提交前请运行测试", "提交前请更新文档"),
    ("用中文写注释", "用英文写提交信息"),
    ("不要删除失败的测试", "不要删除旧的分支"),
    ("添加依赖之前先问我", "删除文件之前先问我"),
    ("日志里不要打印用户密码", "日志里要打印请求编号"),
    ("コミット前にテストを実行して", "コミット前に変更履歴を更新して"),
    ("テストファイルを編集しないで", "設定ファイルを編集しないで"),
    ("コメントは英語で書いて", "コミットメッセージは日本語で書いて"),
    ("実装の前に失敗するテストを書いて", "実装が終わったらテストを全部実行して"),
]
OPPOSED = [
    ("不要在主分支上提交", "要在主分支上提交"),
    ("不要用中文回复", "要用中文回复"),
    ("代码里不要写注释", "代码里要写注释"),
    ("用pnpm，不要用npm", "用npm，不要用pnpm"),
    ("禁止修改生成的文件", "请修改生成的文件"),
    ("提交前不要运行测试", "提交前要运行测试"),
    ("用空格缩进，不要用制表符", "用制表符缩进，不要用空格"),
    ("回答要简短", "回答不要简短"),
    ("別在主分支提交", "每次都在主分支提交"),
    ("コードにコメントを書いてください", "コードにコメントを書かないでください"),
    ("npmではなくpnpmを使って", "pnpmではなくnpmを使って"),
    ("mainに直接コミットしないで", "mainに直接コミットして"),
    ("タブを使って、スペースは使わないで", "スペースを使って、タブは使わないで"),
    ("絵文字は禁止です", "絵文字を使ってください"),
]
AGREE = [
    ("不要在主分支上提交", "在新分支上提交，不要在主分支上提交"),
    ("不要在主分支上提交", "不要提交到主分支，先建新分支"),
    ("用pnpm，不要用npm", "不要用npm，用pnpm"),
    ("别忘了运行测试", "提交前运行测试"),
    ("テストを忘れないで", "テストを実行してください"),
    ("mainに直接コミットしないで", "mainではなくブランチにコミットして"),
    ("テストを実行しなければならない", "テストを実行してください"),
]


def grouped(pair: Sequence[str]) -> Groups:
    return group(atoms(*pair), Weights.fit([*BACKGROUND, *pair]))


@pytest.mark.parametrize("pair", SAME)
def test_the_same_in_other_words_is_one_rule(pair: Sequence[str]) -> None:
    assert grouped(pair).members == ((0, 1),)


@pytest.mark.parametrize("pair", [*APART, *OPPOSED])
def test_near_misses_stay_apart(pair: Sequence[str]) -> None:
    assert grouped(pair).members == ((0,), (1,))


@pytest.mark.parametrize("pair", OPPOSED)
def test_opposites_are_found(pair: Sequence[str]) -> None:
    assert grouped(pair).opposites == {(0, 1)}


@pytest.mark.parametrize("pair", [*SAME, *APART, *AGREE])
def test_what_agrees_or_is_about_something_else_is_no_opposite(pair: Sequence[str]) -> None:
    assert grouped(pair).opposites == frozenset()


def test_other_scripts_are_compared_by_pairs_of_characters() -> None:
    thai = ("ตอบเป็นภาษาไทยเสมอ", "เสมอตอบเป็นภาษาไทย", "ห้ามลบไฟล์ทดสอบ")
    groups = group(atoms(*thai), Weights.fit([*BACKGROUND, *thai]))
    assert groups.members == ((0, 1), (2,))


def test_signs_and_words_in_between() -> None:
    assert signed_terms("用pnpm，不要用npm") == {"pnpm": 1, "npm": -1}
    assert signed_terms("npmではなくpnpmを使って") == {"npm": -1, "pnpm": 1}
    assert signed_terms("不仅要快") == signed_terms("要快")


@pytest.mark.parametrize(
    "text", ["", "use tabs, not spaces", "Größe — naïve “quotes”", "привет, мир", "한국어로 답해 주세요"]
)
def test_text_with_blanks_is_left_as_it_is(text: str) -> None:
    assert spaced(text) == text
