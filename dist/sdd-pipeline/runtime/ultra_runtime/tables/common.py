"""Rendered from contracts/common.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code

CODES = {
        "FM_MISSING": Code(name="FM_MISSING", severity="error", remedy="Begin the file with a line ---, the fields, and another line ---."),
        "FM_UNCLOSED": Code(name="FM_UNCLOSED", severity="error", remedy="Put a line --- after its last field."),
        "FM_PARSE": Code(name="FM_PARSE", severity="error", remedy="Write one `name: value` per line, and quote text with special characters."),
        "FM_NESTED": Code(name="FM_NESTED", severity="error", remedy="Keep the front matter flat, with single values and lists of single values."),
        "FM_DUPLICATE_KEY": Code(name="FM_DUPLICATE_KEY", severity="error", remedy="Remove one of the two."),
        "FM_NOT_UTF8": Code(name="FM_NOT_UTF8", severity="error", remedy="Save it as UTF-8."),
        "FM_NOT_FOUND": Code(name="FM_NOT_FOUND", severity="error", remedy="Name a file that exists."),
        "FM_READ_ERROR": Code(name="FM_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "SECRET_FOUND": Code(name="SECRET_FOUND", severity="error", remedy="Remove it, name the variable that holds it instead, and revoke the secret."),
    }
