"""Rendered from contracts/common.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code

CODES = (
        Code(name="FM_MISSING", severity="error", means="There is no front matter.", remedy="Begin the file with a line ---, the fields, and another line ---."),
        Code(name="FM_UNCLOSED", severity="error", means="The front matter has no end.", remedy="Put a line --- after its last field."),
        Code(name="FM_PARSE", severity="error", means="A line of the front matter is not in the supported YAML subset.", remedy="Write one `name: value` per line, and quote text with special characters."),
        Code(name="FM_NESTED", severity="error", means="The front matter contains a nested mapping.", remedy="Keep the front matter flat, with single values and lists of single values."),
        Code(name="FM_DUPLICATE_KEY", severity="error", means="A field appears twice in the front matter.", remedy="Remove one of the two."),
        Code(name="FM_NOT_UTF8", severity="error", means="The file is not UTF-8 text.", remedy="Save it as UTF-8."),
        Code(name="FM_NOT_FOUND", severity="error", means="`ultra frontmatter` finds no file at this path; validators use their own code for this.", remedy="Name a file that exists."),
        Code(name="FM_READ_ERROR", severity="error", means="`ultra frontmatter` cannot read the file; validators use their own code for this.", remedy="Make it a regular file that you can read."),
        Code(name="SECRET_FOUND", severity="error", means="Something in the file looks like a secret. Writing is refused; reading warns.", remedy="Remove it, name the variable that holds it instead, and revoke the secret."),
    )
