"""Rendered from outputs/*.yaml: edit those files, not this one."""

from ultra_runtime.contract.gates import Output
from ultra_runtime.contract.model import Field

OUTPUTS = {
    "constraints-reader": Output(name="exploration", fields=(Field(name="facts", type="list", required=True, items="object", fields=(Field(name="claim", type="text", required=True), Field(name="at", type="text", required=True, form="location"),)), Field(name="advice", type="list", required=True, items="text"), Field(name="open", type="list", required=True, items="text"),)),
    "features-reader": Output(name="exploration", fields=(Field(name="facts", type="list", required=True, items="object", fields=(Field(name="claim", type="text", required=True), Field(name="at", type="text", required=True, form="location"),)), Field(name="advice", type="list", required=True, items="text"), Field(name="open", type="list", required=True, items="text"),)),
    "sceptic": Output(name="objection", fields=(Field(name="verdict", type="text", required=True, values={"agree": "no better option was found", "better": "there is a better option"}), Field(name="option", type="text", required=True), Field(name="objections", type="list", required=True, items="object", fields=(Field(name="claim", type="text", required=True), Field(name="at", type="text", required=True, form="location"),)),)),
    "structure-reader": Output(name="exploration", fields=(Field(name="facts", type="list", required=True, items="object", fields=(Field(name="claim", type="text", required=True), Field(name="at", type="text", required=True, form="location"),)), Field(name="advice", type="list", required=True, items="text"), Field(name="open", type="list", required=True, items="text"),)),
}
