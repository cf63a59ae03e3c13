"""Rendered from contracts/task-result.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Section

CONTRACT = Contract(
    artifact="task-result",
    title="Task result",
    prefix="TRESULT",
    format="quoted",
    modes=Modes(write="runtime"),
    places=("{project_dir}/TASK-{NN}_result.md",),
    fields=(
        Field(name="id", type="text", required=True, form="task-id"),
        Field(name="title", type="text", required=True),
        Field(name="Commit", type="text", required=False),
        Field(name="Date", type="timestamp", required=True),
    ),
    sections=(
        Section(name="Summary", required=True, names={"ko": "요약", "ja": "概要"}),
        Section(name="Completed Checklist", required=True, names={"ko": "완료 체크리스트", "ja": "完了チェックリスト"}),
        Section(name="Verification Results", required=True, names={"ko": "검증 결과", "ja": "検証結果"}),
        Section(name="Files Changed", required=True, names={"ko": "변경 파일", "ja": "変更ファイル"}),
        Section(name="Issues Encountered", required=True, names={"ko": "발생한 문제", "ja": "発生した問題"}),
        Section(name="Notes for Subsequent Tasks", required=True, names={"ko": "후속 작업 참고사항", "ja": "後続タスクへの注意"}),
        Section(name="Context Handoff", required=True, names={"ko": "컨텍스트 핸드오프", "ja": "コンテキスト引き継ぎ"}),
    ),
    codes={
        "TRESULT_NOT_FOUND": Code(name="TRESULT_NOT_FOUND", severity="error", remedy="Nothing; the runtime writes it when the task is committed."),
        "TRESULT_READ_ERROR": Code(name="TRESULT_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "TRESULT_PARSE_ERROR": Code(name="TRESULT_PARSE_ERROR", severity="error", remedy="Begin it with a line `# ` and the title, and save it as UTF-8."),
        "TRESULT_MISSING_FIELD": Code(name="TRESULT_MISSING_FIELD", severity="error", remedy="Add it."),
        "TRESULT_BAD_VALUE": Code(name="TRESULT_BAD_VALUE", severity="error", remedy="Write one of the allowed values."),
        "TRESULT_MISSING_SECTION": Code(name="TRESULT_MISSING_SECTION", severity="error", remedy="Add the section, under its name in the language of the work."),
    },
)
