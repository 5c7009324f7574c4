"""Files that are attached to records.

Content travels by Odoo's remote calls as base64, past the parsers
(:mod:`odoo_toolkit.connection.bulk`), so that a file costs little more memory than its own base64.
The web route ``/web/content`` would stream the bytes, but with an API key it needs an access token,
which is written to the attachment: reading would then need the right to write, and leave behind a
key that opens the file to anybody.
"""

from odoo_toolkit.annotations import readable_signatures
from odoo_toolkit.chatter.attachments.content import AttachmentContent, get_content
from odoo_toolkit.chatter.attachments.files import (
    AttachmentsResult,
    UploadedAttachment,
    delete,
    list_attachments,
    upload,
)
from odoo_toolkit.chatter.attachments.printing import attach_report

__all__ = [
    "AttachmentContent",
    "AttachmentsResult",
    "UploadedAttachment",
    "attach_report",
    "delete",
    "get_content",
    "list_attachments",
    "upload",
]

readable_signatures(globals())
