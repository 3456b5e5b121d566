# A licence would stand here.

terraform {
  required_version = ">= 1.5"

  required_providers {
    cloud = {
      source  = "example/cloud"
      version = "~> 2.0"
    }
  }
}

# How many shelves there are.
variable "shelves" {
  type    = number
  default = 3
}

locals {
  names = [
    "first",
    "second",
  ]
  tags = {
    owner = "library"
    stage = var.stage # as given
  }
}

/* The machine that the library runs on. */
resource "cloud_machine" "library" {
  count = var.shelves
  name  = "library-${count.index}"

  disk {
    size = 40
  }

  // Written once.
  user_data = <<-EOT
    #!/bin/sh
    echo "${local.tags.owner}"
  EOT

  lifecycle {
    ignore_changes = [name]
  }
}

module "catalogue" {
  source = "./catalogue"
  tags   = { for key, value in local.tags : key => upper(value) }
}

output "addresses" {
  value = cloud_machine.library[*].address
}

broken = {
