"""The errors a user can meet: one sentence that names the thing, the value and the next step."""


class UsageError(Exception):
    """The user asked for something that cannot be (exit code 2)."""


class CourseError(UsageError):
    """A file of the course is wrong; the sentence names file, key and what is allowed."""


class GraderError(Exception):
    """The grader itself broke (exit code 3)."""
