"""Rendered from contracts/common.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code

CODES = (
        Code(name="FM_MISSING", severity="error", means="There is no front matter.", remedy="Begin the file with a line ---, the fields, and another line ---."),
        Code(name="FM_UNCLOSED", severity="error", means="The front matter begins and does not end.", remedy="Put a line --- after its last field."),
        Code(name="FM_PARSE", severity="error", means="A line of the front matter is not the YAML subset that is read.", remedy="Write one field a line, name and value divided by a colon and a space, and odd text in quotes."),
        Code(name="FM_NESTED", severity="error", means="A mapping stands inside the front matter's mapping, or inside a list.", remedy="Keep the front matter flat, with scalars and lists of scalars."),
        Code(name="FM_DUPLICATE_KEY", severity="error", means="A field stands twice in the front matter.", remedy="Remove one of the two."),
        Code(name="FM_NOT_UTF8", severity="error", means="The file is not UTF-8 text.", remedy="Save it as UTF-8."),
        Code(name="FM_NOT_FOUND", severity="error", means="`ultra frontmatter` finds no file at this path; the validators have a code of their own for it.", remedy="Name a file that exists."),
        Code(name="FM_READ_ERROR", severity="error", means="`ultra frontmatter` cannot read the file; the validators have a code of their own for it.", remedy="Make it a regular file that you may read."),
        Code(name="SECRET_FOUND", severity="error", means="Something in the file looks like a secret. Writing is refused; reading warns.", remedy="Take it out, name the variable that holds it instead, and replace the secret itself."),
    )
