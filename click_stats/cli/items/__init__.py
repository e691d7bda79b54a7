"""``click-stats items``: look at the items of a benchmark, and repair them. One file per command."""

import typer

from click_stats.cli.items import check, diff, impact, list_, patch, quiz, review, show

app = typer.Typer(
    help="Check, list, show, review and repair the items of a benchmark, and ask people.", no_args_is_help=True
)

app.command("check")(check.command)
app.command("list")(list_.command)
app.command("show")(show.command)
app.command("impact", help=impact.HELP)(impact.command)
app.command("diff", help=diff.HELP)(diff.command)
app.command("patch", help=patch.HELP)(patch.command)
app.command("quiz", help=quiz.HELP)(quiz.command)
app.add_typer(review.app, name="review")
